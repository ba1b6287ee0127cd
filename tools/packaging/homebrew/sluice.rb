class Sluice < Formula
  desc "Edge-triggered UDP telemetry collector for protobuf messages"
  homepage "@HOME@"
  url "@URL@/sluice-@VERSION@.tar.gz"
  sha256 "@SHA256@"
  license "Apache-2.0"

  depends_on "cmake" => :build
  depends_on "ninja" => :build
  depends_on "pkgconf" => :build
  depends_on "protobuf" => :build
  depends_on "cnats"
  depends_on "curl"
  depends_on "jansson"
  depends_on "librdkafka"
  depends_on "libsodium"
  depends_on "libyaml"
  depends_on :linux
  depends_on "ncurses"
  depends_on "openssl@3"
  depends_on "protobuf-c"
  depends_on "zlib-ng-compat"
  depends_on "zstd"

  def install
    # The program opens libcurl and other libraries when a setting needs them: by its run path.
    args = %W[
      -DCMAKE_INSTALL_RPATH=#{HOMEBREW_PREFIX}/lib
      -DSLUICE_REPRODUCIBLE=ON
      -DSLUICE_TESTS=OFF
    ]
    system "cmake", "-S", ".", "-B", "build", "-G", "Ninja", *args, *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"

    (buildpath/"sluice.yaml").write <<~YAML
      # The configuration of `brew services start sluice`; see `man sluice.yaml`.
      listeners:
        - address: udp://127.0.0.1:5555
          schema: riemann
      sinks:
        - to: file:#{var}/log/sluice/metrics.ndjson
          format: json
          rotate_size: 100MiB
          keep: 10
      control: unix:#{var}/run/sluice/control
    YAML
    (etc/"sluice").install "sluice.yaml"
    (var/"log/sluice").mkpath
    (var/"run/sluice").mkpath
  end

  service do
    run [opt_bin/"sluice", "--config", etc/"sluice/sluice.yaml"]
    keep_alive crashed: true
    error_log_path var/"log/sluice.log"
  end

  test do
    address = "udp://127.0.0.1:#{free_port}"
    collector = spawn bin/"sluice", "--listen", "#{address}?schema=riemann", "--sink", "file:out.ndjson",
                      "--max-datagrams", "1", "--duration", "60s"
    30.times do
      break if quiet_system bin/"sluice-send", "--schema", "riemann", "--count", "1", "--to", address

      sleep 1
    end
    Process.wait collector
    assert_match "\"kind\":\"gauge\"", (testpath/"out.ndjson").read
    assert_match version.to_s, shell_output("#{bin}/sluice --version")
  end
end
