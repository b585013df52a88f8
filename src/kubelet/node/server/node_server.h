#pragma once

#include <functional>
#include <memory>

#include "api/schema/schema.h"
#include "base/clock.h"
#include "base/random.h"
#include "client/client.h"
#include "http/client/client.h"
#include "http/server/exchange.h"
#include "kubelet/model/options.h"
#include "kubelet/node/server/log_request.h"
#include "kubelet/node/server/pod_directory.h"
#include "kubelet/runtime/cri/runtime.h"

namespace proa::kubelet {

// The node's HTTPS server: logs, exec, attach and port-forward, pods, health. Every request is
// authenticated and authorized. Blocking work has its own threads; destruction cancels it and
// waits. Open tunnels continue.
class NodeServer : public http::Handler {
 public:
  struct Context {
    client::Client& client;  // reviews tokens and permissions
    const api::Schema& schema;
    Clock& clock;
    Random& random;
    cri::Runtime& runtime;
    http::Client& http;  // REQUIRES: of the same loops as the server
    const PodDirectory& pods;
    const KubeletOptions& options;
    LogOpener open_log;                          // see log_files.h
    std::string client_authority_pem = {};       // the CA of client certificates
    std::function<Result<void>()> healthy = {};  // whether the sync loop works; null: yes
    std::stop_token shutdown = {};               // cancels reviews
  };
  // Everything outlives it.
  static Result<std::unique_ptr<NodeServer>> make(Context context);
};

}  // namespace proa::kubelet
