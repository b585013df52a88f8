#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apiserver/server.h"
#include "cli/host/signals.h"
#include "cli/node/local_node.h"
#include "http/server/certificate_files.h"

namespace proa::cli {

// The node inside a server process. It calls the API in-process as system:node:NAME; its
// certificate is signed with the cluster CA directly.
class ServerNode {
 public:
  // Fails for settings that are invalid. All arguments outlive it. `ranges_given`: by controllers;
  // otherwise the node has a usual range. REQUIRES: the data directory exists.
  static Result<std::unique_ptr<ServerNode>> make(const Settings& settings, Files& files,
                                                  Clock& clock, bool ranges_given);

  const api::NodeName& name() const { return settings_.kubelet.node_name; }
  // Names in the kubelet's serving certificate.
  std::vector<std::string> names() const;

  // Prints each step until the node is ready, a signal arrives (returns its name), or a minute has
  // passed; the node continues to start in that case. `authority_pem`: the cluster CA.
  Result<std::optional<std::string_view>> start(apiserver::ApiServer& api, http::LoopGroup& loops,
                                                Random& random, const std::string& authority_pem,
                                                StopSignals& signals, Terminal& terminal)
      EXCLUDES(mutex_);
  // Labels the Node as one of the control plane, which kubelets may not do themselves. `admin` has
  // the rights to. REQUIRES: the node has registered.
  Result<void> label_as_control_plane(client::Client& admin) const;
  // See LocalNode::stop_pods. REQUIRES: the API still responds; stop() is next.
  void stop_pods(Duration most_grace, Terminal& terminal);
  // Pods keep running. REQUIRES: the API still responds.
  void stop() EXCLUDES(mutex_);
  // Whether the node is ready. Does not block; from any thread.
  Result<void> health() const EXCLUDES(mutex_);

 private:
  ServerNode(Files& files, Clock& clock, NodeSettings settings)
      : files_(files), clock_(clock), settings_(std::move(settings)) {}

  Files& files_;
  Clock& clock_;
  const NodeSettings settings_;
  std::unique_ptr<http::CertificateFiles> tls_;
  std::unique_ptr<client::Client> client_;
  std::unique_ptr<LocalNode> node_;
  mutable Mutex mutex_;
  const LocalNode* started_ GUARDED_BY(mutex_) = nullptr;
};

}  // namespace proa::cli
