#include "cli/commands/table.h"

#include "cli/commands/cluster/down.h"
#include "cli/commands/cluster/node.h"
#include "cli/commands/cluster/proxy.h"
#include "cli/commands/cluster/scheduler.h"
#include "cli/commands/cluster/server.h"
#include "cli/commands/cluster/status.h"
#include "cli/commands/cluster/uninstall.h"
#include "cli/commands/cluster/up.h"
#include "cli/commands/completion.h"
#include "cli/commands/data/backup.h"
#include "cli/commands/data/restore.h"
#include "cli/commands/data/secrets.h"
#include "cli/commands/data/store.h"
#include "cli/commands/dns.h"
#include "cli/commands/explain_connection.h"
#include "cli/commands/explain_pending.h"
#include "cli/commands/help.h"
#include "cli/commands/images.h"
#include "cli/commands/kubeconfig.h"
#include "cli/commands/kubectl.h"
#include "cli/commands/lab/lab.h"
#include "cli/commands/token.h"
#include "cli/commands/version.h"

namespace proa::cli {

const Command& program_commands() {
  static const Command kProgram{
      .name = "proa",
      .summary = "Proa is Kubernetes in one small binary.",
      .flags =
          {
              {.name = "config",
               .kind = ValueKind::kFile,
               .word = "FILE",
               .fallback = "/etc/proa/config.yaml",
               .summary = "configuration file, YAML or JSON; also FILE.d/*.yaml"},
              {.name = "log-level",
               .word = "LEVEL,...",
               .fallback = "info",
               .summary = "debug, info, warn or error; per component: info,store=debug"},
              {.name = "log-format",
               .kind = ValueKind::kChoice,
               .fallback = "text",
               .summary = "log format",
               .choices = {"text", "json"}},
          },
      // To add a command: a unit in commands/, and a line here.
      .commands =
          {
              up_command(),  //
              status_command(),
              down_command(),
              uninstall_command(),
              server_command(),
              node_command(),
              scheduler_command(),
              proxy_command(),
              kubeconfig_command(),
              kubectl_command(),
              images_command(),
              lab_command(),
              token_command(),
              backup_command(),
              restore_command(),
              store_command(),
              secrets_command(),
              explain_pending_command(),
              explain_connection_command(),
              dns_command(),
              version_command(),
              completion_command(),
              help_command(),
          },
  };
  return kProgram;
}

}  // namespace proa::cli
