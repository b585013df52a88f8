#include "cli/commands/kubectl.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "base/files.h"
#include "base/process/spawn.h"
#include "cli/credentials/start_hint.h"
#include "cli/server/run.h"

namespace proa::cli {
namespace kubectl {

// Returns only on failure.
Result<void> run(const Invocation& invocation, Terminal&) {
  SystemFiles files;
  const std::string& data_dir = invocation.settings.text("data-dir");
  const std::string kubeconfig = data_dir + "/admin.kubeconfig";
  const bool exists = TRY(files.exists(kubeconfig));
  if (!exists) {
    return Status(Reason::kNotFound, kubeconfig + " does not exist; start " +
                                         start_hint(files, data_dir) + ", or pass --data-dir");
  }
  const auto program = find_program("kubectl");
  if (!program) {
    return Status(
        Reason::kNotFound,
        "kubectl is not installed; install it from https://kubernetes.io/docs/tasks/tools, "
        "or use the server with another client and `proa kubeconfig`");
  }
  setenv("KUBECONFIG", kubeconfig.c_str(), 1);
  std::vector<std::string> words{"kubectl"};
  words.insert(words.end(), invocation.arguments.begin(), invocation.arguments.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execv(program->c_str(), arguments.data());
  return errno_status("starting " + *program, errno);
}

}  // namespace kubectl

Command kubectl_command() {
  return {.name = "kubectl",
          .summary = "Run kubectl as the cluster's administrator.",
          .description =
              "All words from the first one that is not a flag of this command go to kubectl:\n"
              "proa kubectl get pods -A",
          .arguments = {{.word = "WORD", .required = false, .repeats = true}},
          .flags = {data_dir_flag()},
          .run = kubectl::run,
          .takes_any_words = true};
}

}  // namespace proa::cli
