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

// What a node answers on its port: logs, exec, attach and port-forward, its pods, its health. Every
// caller must be known and allowed. Work that waits is done on threads of its own; destruction ends
// it, and waits for that. Tunnels that are open go on.
class NodeServer : public http::Handler {
 public:
  struct Context {
    client::Client& client;  // judges tokens and permissions
    const api::Schema& schema;
    Clock& clock;
    Random& random;
    cri::Runtime& runtime;
    http::Client& http;  // REQUIRES: of the same loops as the server
    const PodDirectory& pods;
    const KubeletOptions& options;
    LogOpener open_log;                          // see log_files.h
    std::string client_authority_pem = {};       // who may sign the certificates of callers
    std::function<Result<void>()> healthy = {};  // whether pods are being looked after; null: yes
  };
  // Everything outlives it.
  static Result<std::unique_ptr<NodeServer>> make(Context context);
};

}  // namespace proa::kubelet
