#include "cli/commands/kubeconfig.h"

#include "base/files.h"
#include "cli/server/run.h"

namespace proa::cli {
namespace kubeconfig {

Result<void> run(const Invocation& invocation, Terminal& terminal) {
  SystemFiles files;
  const std::string path = invocation.settings.text("data-dir") + "/admin.kubeconfig";
  constexpr size_t kMaxBytes = 256 * 1024;
  const auto text = files.read_file(path, kMaxBytes);
  if (text.is(Reason::kNotFound)) {
    return Status(Reason::kNotFound,
                  path + " does not exist; start `proa up` or `proa server`, or pass --data-dir");
  }
  if (!text) return text.status();
  terminal.out(*text);
  return {};
}

}  // namespace kubeconfig

Command kubeconfig_command() {
  return {.name = "kubeconfig",
          .summary = "Print the administrator's kubeconfig.",
          .description = "For example: proa kubeconfig > ~/.kube/config",
          .flags = {data_dir_flag()},
          .run = kubeconfig::run};
}

}  // namespace proa::cli
