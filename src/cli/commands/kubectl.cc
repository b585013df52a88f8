#include "cli/commands/kubectl.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "base/files.h"
#include "base/process/spawn.h"
#include "cli/credentials/start_hint.h"
#include "cli/server/flags/server_flags.h"

namespace proa::cli {
namespace kubectl {

// From the first word of kubectl on, all flags are kubectl's, which has none of ours. What follows
// "--" is the command line of a container.
Result<void> check(const Invocation& invocation) {
  for (const std::string& word : invocation.arguments) {
    if (word == "--") return {};
    if (word == "--data-dir" || word.starts_with("--data-dir=")) {
      return Status(Reason::kBadRequest,
                    "--data-dir belongs before the words of kubectl: proa kubectl --data-dir DIR " +
                        invocation.arguments.front() + " ...");
    }
  }
  return {};
}

// Returns only on failure.
Result<void> run(const Invocation& invocation, Terminal&) {
  SystemFiles files;
  const std::string& data_dir = invocation.settings.text("data-dir");
  const std::string kubeconfig = data_dir + "/admin.kubeconfig";
  const bool exists = TRY(files.exists(kubeconfig));
  if (!exists) return no_admin_kubeconfig(files, data_dir);
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
              "proa kubectl get pods -A\n"
              "proa kubectl --data-dir DIR get pods -A",
          .arguments = {{.word = "WORD", .required = false, .repeats = true}},
          .flags = {data_dir_flag()},
          .run = kubectl::run,
          .check = kubectl::check,
          .takes_any_words = true};
}

}  // namespace proa::cli
