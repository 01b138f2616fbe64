/* Links inputs in memory and prints the resources of the kernels:
 * link_in_memory ARCH OUT.cubin INPUT...
 * Needs C++17. If the link fails, the diagnostics are the text of an exception. */
#include <warpld.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct Destroy {
    void operator()(warpld_link *link) const { warpld_destroy(link); }
};
using Link = std::unique_ptr<warpld_link, Destroy>;

/* An exception must not leave the callback. So if memory runs out, the message is lost. */
void take(void *context, const warpld_diagnostic *diagnostic)
{
    try {
        static_cast<std::string *>(context)->append(diagnostic->text).append("\n");
    } catch (const std::exception &) {
    }
}

std::vector<char> read_file(const char *path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void link_files(const char *architecture, const char *output, const std::vector<const char *> &paths)
{
    std::string messages;
    warpld_options options = WARPLD_OPTIONS_INIT;
    options.architecture = architecture;
    options.diagnostic = take;
    options.diagnostic_context = &messages;
    warpld_link *created;
    if (warpld_create(&options, &created) != WARPLD_OK)
        throw std::runtime_error(messages);
    std::vector<std::vector<char>> files; /* remain until the link is destroyed */
    Link link(created);
    for (const char *path : paths) {
        files.push_back(read_file(path));
        warpld_add_memory(link.get(), path, files.back().data(), files.back().size());
    }
    if (warpld_run(link.get()) != WARPLD_OK || warpld_write(link.get(), output) != WARPLD_OK)
        throw std::runtime_error(messages);
    warpld_kernel kernel{};
    kernel.size = sizeof kernel;
    for (size_t i = 0; warpld_get_kernel(link.get(), i, &kernel) == WARPLD_OK; i++)
        std::printf("%s: %u registers, %llu bytes of stack, %llu bytes of shared memory\n",
                    kernel.name, static_cast<unsigned>(kernel.registers),
                    static_cast<unsigned long long>(kernel.stack_bytes),
                    static_cast<unsigned long long>(kernel.shared_bytes));
}

} // namespace

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    try {
        link_files(argv[1], argv[2], {argv + 3, argv + argc});
    } catch (const std::exception &error) {
        std::fputs(error.what(), stderr);
        return 1;
    }
}
