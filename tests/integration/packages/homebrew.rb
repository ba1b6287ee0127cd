# Builds a formula as Homebrew does, in a folder: ruby homebrew.rb FORMULA FOLDER
#
# It has the parts of Homebrew's interface that the formula uses (docs.brew.sh/rubydoc/Formula), and no others: an
# unknown word is an error. The archive is downloaded and its checksum compared; then the formula's `install` and `test`
# run, and its service is printed.
require "digest"
require "fileutils"
require "open3"
require "pathname"
require "socket"

HOMEBREW_PREFIX = Pathname(ARGV.fetch(1)).expand_path

class Pathname
  # Moves files into this folder, which it makes.
  def install(*names)
    mkpath
    FileUtils.mv(names.map(&:to_s), to_s)
  end
end

class Service
  attr_reader :command, :values

  def initialize(formula, block)
    @formula = formula
    @values = {}
    instance_eval(&block)
  end

  def run(command)
    @command = command.map(&:to_s)
  end

  def keep_alive(value)
    @values[:keep_alive] = value
  end

  def error_log_path(path)
    @values[:error_log_path] = path
  end

  def method_missing(name, ...)
    return super unless [:opt_bin, :etc, :var].include?(name)

    @formula.public_send(name, ...)
  end

  def respond_to_missing?(name, private = false)
    [:opt_bin, :etc, :var].include?(name) || super
  end
end

class Formula
  class << self
    attr_reader :dependencies, :values

    def inherited(formula)
      super
      formula.instance_variable_set(:@dependencies, [])
      formula.instance_variable_set(:@values, {})
    end

    [:desc, :homepage, :url, :sha256, :license].each do |name|
      define_method(name) { |value = nil| value ? @values[name] = value : @values.fetch(name) }
    end

    def depends_on(name)
      @dependencies << name
    end

    def service(&block)
      block ? @service = block : @service
    end

    def test(&block)
      block ? @test = block : @test
    end
  end

  attr_reader :buildpath, :testpath

  def initialize
    @buildpath = HOMEBREW_PREFIX/"source"
    @testpath = HOMEBREW_PREFIX/"test"
  end

  def name
    self.class.name.downcase
  end

  # Homebrew reads it from the address, too.
  def version
    self.class.url[/-(\d[^-]*(?:-(?:alpha|beta|rc)[.\d]*)?)\.tar\.gz\z/, 1]
  end

  def prefix
    HOMEBREW_PREFIX/"Cellar"/name/version
  end

  def bin
    prefix/"bin"
  end

  def opt_bin
    HOMEBREW_PREFIX/"opt"/name/"bin"
  end

  def etc
    HOMEBREW_PREFIX/"etc"
  end

  def var
    HOMEBREW_PREFIX/"var"
  end

  def std_cmake_args
    %W[-DCMAKE_INSTALL_PREFIX=#{prefix} -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_BUILD_TYPE=Release -Wno-dev
       -DCMAKE_FIND_FRAMEWORK=LAST -DCMAKE_VERBOSE_MAKEFILE=ON -DBUILD_TESTING=OFF -DCCACHE_FOUND=OFF]
  end

  def system(*words)
    Kernel.system(*words.map(&:to_s), exception: true)
  end

  def quiet_system(*words)
    Kernel.system(*words.map(&:to_s), out: File::NULL, err: File::NULL)
  end

  def spawn(*words)
    Process.spawn(*words.map(&:to_s))
  end

  def shell_output(command)
    output, status = Open3.capture2(command)
    raise "#{command}: #{status}" unless status.success?

    output
  end

  def free_port
    TCPServer.open("127.0.0.1", 0) { |server| server.addr[1] }
  end

  def assert_match(expected, actual)
    raise "#{expected} is not in #{actual}" unless actual.include?(expected)
  end

  def fetch
    archive = HOMEBREW_PREFIX/File.basename(self.class.url)
    system "curl", "-fsS", "-o", archive, self.class.url
    raise "the archive has another checksum" if Digest::SHA256.file(archive).hexdigest != self.class.sha256

    buildpath.mkpath
    system "tar", "--extract", "--file", archive, "--strip-components=1", "--directory", buildpath
  end
end

HOMEBREW_PREFIX.mkpath
load ARGV.fetch(0)
formula = Object.const_get(File.basename(ARGV.fetch(0), ".rb").capitalize).new
formula.fetch
Dir.chdir(formula.buildpath) { formula.install }
formula.testpath.mkpath
Dir.chdir(formula.testpath) { formula.instance_eval(&formula.class.test) }
puts "service: #{Service.new(formula, formula.class.service).command.join(" ")}"
