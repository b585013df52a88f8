#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apiserver/server.h"
#include "cli/host/instance_lock.h"
#include "cli/host/signals.h"
#include "cli/node/local_node.h"
#include "http/server/certificate_files.h"

namespace proa::cli {

// The node in the process of a server, which it talks to without a network between, as
// system:node:NAME. Its certificate is signed by the cluster's authority right here.
class ServerNode {
 public:
  // kForbidden for who is not root. Everything outlives it.
  static Result<std::unique_ptr<ServerNode>> make(const Settings& settings, Files& files,
                                                  Clock& clock);

  const std::string& name() const { return settings_.kubelet.node_name; }
  // Of its server, which its certificate is for.
  std::vector<std::string> names() const;

  // A line for each step, until the node is ready, a signal came (its name), or it took a minute,
  // after which it goes on without us. `authority_pem`: who signs for the cluster.
  Result<std::optional<std::string_view>> start(apiserver::ApiServer& api, http::LoopGroup& loops,
                                                Random& random, const std::string& authority_pem,
                                                StopSignals& signals, Terminal& terminal);
  // Pods go on. REQUIRES: the API still answers.
  void stop();

 private:
  ServerNode(Files& files, Clock& clock, NodeSettings settings, InstanceLock lock)
      : files_(files), clock_(clock), settings_(std::move(settings)), lock_(std::move(lock)) {}

  Files& files_;
  Clock& clock_;
  const NodeSettings settings_;
  InstanceLock lock_;
  std::unique_ptr<http::CertificateFiles> tls_;
  std::unique_ptr<client::Client> client_;
  std::unique_ptr<LocalNode> node_;
};

}  // namespace proa::cli
