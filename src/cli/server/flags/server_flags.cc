#include "cli/server/flags/server_flags.h"

#include <unistd.h>

#include <cstdlib>

#include "base/files.h"
#include "cli/credentials/start_hint.h"
#include "cli/node/dns/dns_flags.h"
#include "cli/node/node_flags.h"
#include "cli/scheduler/scheduler_flags.h"
#include "cli/server/flags/access_flags.h"
#include "cli/server/flags/audit_flags.h"
#include "cli/server/flags/controller_flags.h"
#include "cli/server/flags/debug_flags.h"
#include "cli/server/flags/encryption_flags.h"
#include "cli/server/flags/kubelet_flags.h"
#include "cli/server/flags/server_options.h"
#include "cli/server/flags/store_flags.h"
#include "controllers/controllers.h"

namespace proa::cli {
namespace all_flags {

std::string default_data_dir() {
  if (geteuid() == 0) return std::string(kRootDataDir);
  const char* home = std::getenv("HOME");
  return std::string(home == nullptr ? "." : home) + "/.local/share/proa";
}

Result<void> check(const Settings& settings, ServerRole role) {
  TRY(read_server_options(settings, role));
  SystemFiles files;
  TRY(read_store_options(settings, files));
  TRY(read_access_options(settings, files));
  TRY(read_audit_options(settings, files));
  TRY(read_encryption_options(settings, files));
  TRY(read_tracing(settings, files));
  TRY(read_kubelet_tls(settings, files));
  TRY(read_scheduler_config(settings, files));
  controllers::ControllerOptions unused;
  unused.service_cidr = settings.text("service-cluster-ip-range");
  TRY(read_controller_options(settings, unused));
  TRY(choose_controllers(controllers::all_controllers(), settings.text("controllers")));
  if (role == ServerRole::kCluster) TRY(check_node_flags(settings));
  return {};
}

}  // namespace all_flags

Flag data_dir_flag() {
  return {.name = "data-dir",
          .kind = ValueKind::kFolder,
          .word = "DIR",
          .fallback = all_flags::default_data_dir(),
          .summary = "directory of all state"};
}

Flag server_flag() { return {.name = "server", .word = "URL", .summary = "URL of the API server"}; }

std::vector<Flag> server_flags() {
  std::vector<Flag> flags{data_dir_flag()};
  for (Flag& flag : server_option_flags()) flags.push_back(std::move(flag));
  for (Flag& flag : store_flags()) flags.push_back(std::move(flag));
  for (Flag& flag : access_flags()) flags.push_back(std::move(flag));
  for (Flag& flag : audit_flags()) flags.push_back(std::move(flag));
  for (Flag& flag : encryption_flags()) flags.push_back(std::move(flag));
  for (Flag& flag : debug_flags()) flags.push_back(std::move(flag));
  for (Flag& flag : kubelet_flags()) flags.push_back(std::move(flag));
  for (Flag& flag : controller_flags()) flags.push_back(std::move(flag));
  for (Flag& flag : scheduler_flags()) flags.push_back(std::move(flag));
  return flags;
}

std::vector<Flag> cluster_flags() {
  std::vector<Flag> flags = server_flags();
  for (Flag& flag : flags) {
    // Pods and other nodes reach the API at this machine's address.
    if (flag.name == "listen") flag.fallback = "0.0.0.0:6443";
  }
  for (Flag& flag : node_flags()) {
    // A node's flag, too, if it is alone.
    if (flag.name != dns_flag().name) flags.push_back(std::move(flag));
  }
  return flags;
}

Result<void> check_server_flags(const Invocation& invocation) {
  return all_flags::check(invocation.settings, ServerRole::kServer);
}

Result<void> check_cluster_flags(const Invocation& invocation) {
  return all_flags::check(invocation.settings, ServerRole::kCluster);
}

}  // namespace proa::cli
