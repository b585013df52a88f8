#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "api/object/view.h"
#include "apiserver/access/webhook/hook_config.h"
#include "base/files.h"
#include "base/result.h"
#include "client/kubeconfig.h"

namespace proa::apiserver {

// How this server authenticates to admission webhooks: users of a kubeconfig, which are named after
// the hosts that they are for. Immutable.
class HookCredentials {
 public:
  // Reads a WebhookAdmissionConfiguration, which may be absent, and the kubeconfig that it names.
  static Result<std::shared_ptr<const HookCredentials>> read(api::View configuration, Files& files);

  // The user for a webhook, as upstream's resolver finds it: "HOST:PORT", "*.SUFFIX:PORT", the same
  // without the default port, "*", then the user of the current context. Null: none.
  std::shared_ptr<const client::Connection> find(const HookConfig& config) const;

 private:
  using Users = std::map<std::string, std::shared_ptr<const client::Connection>, std::less<>>;

  std::shared_ptr<const client::Connection> find_target(std::string_view target) const;
  std::shared_ptr<const client::Connection> find_user(std::string_view name) const;

  Users users_;
  std::string current_;  // the user of the current context; empty: none
};

}  // namespace proa::apiserver
