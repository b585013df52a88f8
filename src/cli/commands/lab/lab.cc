#include "cli/commands/lab/lab.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "base/process/spawn.h"
#include "cli/commands/lab/lab_faults.h"
#include "cli/commands/lab/lab_machines.h"
#include "cli/commands/lab/lab_settings.h"
#include "cli/commands/lab/lab_status.h"
#include "cli/commands/lab/lab_up.h"
#include "cli/host/rights.h"

namespace proa::cli {
namespace lab_group {

constexpr size_t kMaxKubeconfig = 1 << 20;

Result<void> down(const Invocation& invocation, Terminal& terminal) {
  TRY(require_root("removing a lab"));
  LabTools tools(invocation.settings, terminal);
  TRY(lab::Lab::remove(tools.context(), tools.name()));
  terminal.out("lab " + tools.name() + " removed\n");
  return {};
}

Result<void> kubeconfig(const Invocation& invocation, Terminal& terminal) {
  LabTools tools(invocation.settings, terminal);
  const lab::Lab opened = TRY(tools.open());
  SystemFiles files;
  const std::string path = TRY(opened.kubeconfig());
  const std::string text = TRY(files.read_file(path, kMaxKubeconfig));
  terminal.out(text);
  return {};
}

// Returns only on failure.
Result<void> kubectl(const Invocation& invocation, Terminal& terminal) {
  LabTools tools(invocation.settings, terminal);
  const auto found = tools.open();
  if (!found.ok()) return explain_late_flags(found.status(), invocation.arguments);
  const lab::Lab& opened = *found;
  const std::string kubeconfig = TRY(opened.kubeconfig());
  const auto program = find_program("kubectl");
  if (!program) {
    return Status(Reason::kNotFound,
                  "kubectl is not installed; install it from "
                  "https://kubernetes.io/docs/tasks/tools, or use another client with `proa lab "
                  "kubeconfig`");
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

}  // namespace lab_group

Status explain_late_flags(const Status& failure, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (word == "--") break;
    for (const std::string flag : {"--name", "--lab-dir"}) {
      if (word != flag && !word.starts_with(flag + "=")) continue;
      return {failure.reason(), failure.message() + "; " + flag +
                                    " belongs before the words of kubectl: proa lab kubectl " +
                                    flag + (flag == "--name" ? " NAME " : " DIR ") + words.front() +
                                    " ..."};
    }
  }
  return failure;
}

Command lab_command() {
  return {
      .name = "lab",
      .summary = "Clusters of several machines on this host, for development and tests.",
      .description =
          "What kind and k3d do with Docker, without it: a machine is a set of namespaces with\n"
          "a containerd of its own, and takes no image. Labs do not touch the host's network,\n"
          "and do not disturb each other or a `proa up` beside them. Making, changing and\n"
          "entering them requires root.",
      .commands = {
          lab_up_command(),
          {.name = "down",
           .summary = "Delete a lab: its machines, their data and its kubeconfig.",
           .flags = lab_flags(),
           .run = lab_group::down,
           .check = check_lab_flags},
          lab_list_command(),
          lab_status_command(),
          lab_exec_command(),
          {.name = "kubectl",
           .summary = "Run kubectl as the administrator of a lab's cluster.",
           .description =
               "All words from the first one that is not a flag of this command go to kubectl:\n"
               "  proa lab kubectl --name other get pods -A",
           .arguments = {{.word = "WORD", .required = false, .repeats = true}},
           .flags = lab_flags(),
           .run = lab_group::kubectl,
           .check = check_lab_flags,
           .takes_any_words = true},
          {.name = "kubeconfig",
           .summary = "Print a kubeconfig of a lab's cluster, for programs on this host.",
           .description =
               "The API server is reached through a port of 127.0.0.1, which stays the same as\n"
               "long as the lab exists. `proa lab up` has written the file, and named it.",
           .flags = lab_flags(),
           .run = lab_group::kubeconfig,
           .check = check_lab_flags},
          lab_kill_command(),
          lab_start_command(),
          lab_cut_command(),
          lab_slow_command(),
          lab_heal_command(),
      }};
}

}  // namespace proa::cli
