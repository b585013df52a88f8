#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/random.h"
#include "base/threads/pool.h"
#include "cli/host/signals.h"
#include "cli/node/node_flags.h"
#include "cli/node/own_runtime.h"
#include "client/client.h"
#include "http/client/client.h"
#include "http/net/tls.h"
#include "kubelet/kubelet.h"

namespace proa::cli {

// The node of this machine: its runtime, the images that we carry, its agent. For `proa up` and
// `proa node`, whose clients and certificates come from elsewhere.
class LocalNode {
 public:
  struct Context {
    Files& files;
    Clock& clock;
    Random& random;
    http::LoopGroup& loops;
    client::Client& client;  // as the node
    const http::TlsSource* tls = nullptr;
    std::string client_authority_pem = {};
    NodeSettings settings = {};
  };
  explicit LocalNode(Context context);
  // Stops it.
  ~LocalNode();
  LocalNode(const LocalNode&) = delete;
  LocalNode& operator=(const LocalNode&) = delete;

  // A line for each step. At most once.
  Result<void> start(Terminal& terminal);
  // Until the node is ready, a signal came (its name), or it took a minute: then it goes on without
  // us. REQUIRES: started.
  std::optional<std::string_view> await_ready(StopSignals& signals, Terminal& terminal);
  // Pods and their runtime go on.
  void stop();

 private:
  Result<void> start_runtime(Terminal& terminal);
  Result<void> import_images(Terminal& terminal);

  Context context_;
  http::Client http_;
  std::unique_ptr<OwnRuntime> runtime_;  // null: somebody else's
  // Finishes what the agent began, after it was stopped and before it goes.
  std::unique_ptr<kubelet::Kubelet> kubelet_;
  WorkerPool pool_;
};

}  // namespace proa::cli
