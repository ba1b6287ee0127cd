/*
 * Replaces protoc.exe: copies the file next to the .proto file in the --proto_path, with ".set"
 * after its name, to the requested descriptor set.
 */
#include <stdio.h>
#include <string.h>

#include "collector/platform/process.h"

static int copy(const char *from, const char *to)
{
    char bytes[4096];
    size_t got;
    FILE *in = fopen(from, "rb");
    FILE *out = fopen(to, "wb");
    if (in == NULL || out == NULL) {
        fprintf(stderr, "%s: cannot be copied to %s\n", from, to);
        return 1;
    }
    while ((got = fread(bytes, 1, sizeof bytes, in)) != 0)
        fwrite(bytes, 1, got, out);
    fclose(in);
    return fclose(out) == 0 ? 0 : 1;
}

int program_main(int argc, char **argv)
{
    static const char option[] = "--descriptor_set_out=";
    static const char folder_option[] = "--proto_path==";
    const char *to = NULL;
    const char *folder = ".";
    char from[1024];
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], option, sizeof option - 1) == 0)
            to = argv[i] + sizeof option - 1;
        else if (strncmp(argv[i], folder_option, sizeof folder_option - 1) == 0)
            folder = argv[i] + sizeof folder_option - 1;
    snprintf(from, sizeof from, "%s/%s.set", folder, argv[argc - 1]);
    return to == NULL ? 2 : copy(from, to);
}
