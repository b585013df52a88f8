#pragma once

#include <memory>

#include "apiserver/request/request_metrics.h"
#include "apiserver/resources/call/context.h"
#include "apiserver/streaming/destination.h"
#include "apiserver/streaming/streams/stream_choice.h"
#include "base/clock.h"
#include "base/threads/pool.h"
#include "http/client/client.h"
#include "http/server/exchange.h"

namespace proa::apiserver {

// How kubelets are asked.
struct KubeletAccess {
  // Whom they see: a certificate that the cluster's authority signed. Empty: nobody.
  std::string certificate_pem = {};
  std::string key_pem = {};
  // Who signs their certificates. Empty: theirs is taken as it is, as upstream does by default.
  std::string authority_pem = {};
};

// Passes requests for logs, exec, attach, port-forward and proxies on to kubelets, pods and
// services. On loops' threads.
class Connections {
 public:
  // Everything outlives it; it goes after the server that calls it. `loops` are that server's.
  static Result<std::unique_ptr<Connections>> make(http::LoopGroup& loops, Clock& clock,
                                                   const KubeletAccess& access);

  // REQUIRES: connection_of(request), and that its user may do that. `pool` is for authorizers that
  // have to be waited for, and is empty before `context` and this go.
  void connect(const http::ExchangePtr& exchange, const ApiContext& context, const Request& request,
               const http::Target& target, const RequestMark& mark, WorkerPool& pool);

 private:
  // A request on its way through here.
  struct Asked;

  Connections(http::LoopGroup& loops, Clock& clock);
  void pass_on(const Asked& asked);
  void translate(const Asked& asked, const Destination& destination, http::ClientRequest request,
                 StreamChoice choice);
  http::Client& client_for(const Destination& destination);

  http::Client kubelets_;
  http::Client unverified_kubelets_;  // for who asks for a log and doesn't mind who tells it
  http::Client others_;  // pods and services: nobody knows who signs their certificates
};

}  // namespace proa::apiserver
