#pragma once

#include <memory>

#include "apiserver/request/request_metrics.h"
#include "apiserver/resources/call/context.h"
#include "apiserver/streaming/destination.h"
#include "apiserver/streaming/kubelet_trust.h"
#include "apiserver/streaming/streams/stream_choice.h"
#include "base/clock.h"
#include "base/threads/pool.h"
#include "http/client/client.h"
#include "http/server/exchange.h"

namespace proa::apiserver {

// How the API server connects to kubelets.
struct KubeletAccess {
  // Client certificate, signed by the cluster's CA. Empty: none.
  std::string certificate_pem = {};
  std::string key_pem = {};
  // CA bundle for kubelet certificates. Empty: they are not verified.
  std::string authority_pem = {};
  KubeletTls tls = KubeletTls::kVerify;
  PodEgress egress = PodEgress::kDirect;
};

// Forwards requests for logs, exec, attach, port-forward and proxies to kubelets, pods and
// services. Runs on loop threads.
class Connections {
 public:
  // All arguments outlive it. Destroy it after the server that calls it. `loops` are that server's.
  static Result<std::unique_ptr<Connections>> make(http::LoopGroup& loops, Clock& clock,
                                                   const KubeletAccess& access);
  // For new connections.
  Result<void> set_certificate(const crypto::CertifiedKey& pair);
  // How others connect to pods; for the time that this lives.
  PodEgress egress() const { return egress_; }
  http::Dial pod_dial() { return dial_pods(kubelets_); }
  // Null unless the mode is kPin.
  std::shared_ptr<KubeletTrust> trust() const { return trust_; }

  // REQUIRES: connection_of(request), and that its user is authorized. `pool` runs authorizers that
  // block, and is drained before `context` and this are destroyed.
  void connect(const http::ExchangePtr& exchange, const ApiContext& context, const Request& request,
               const http::Target& target, const RequestMark& mark, WorkerPool& pool);

 private:
  // A request being forwarded.
  struct ForwardedRequest;

  Connections(http::LoopGroup& loops, Clock& clock, const KubeletAccess& access);
  // Connections are admitted as writes are: not on the loop's thread, since that may block.
  void admit(const ForwardedRequest& forwarded, WorkerPool& pool);
  void forward(const ForwardedRequest& forwarded);
  void translate(const ForwardedRequest& forwarded, const Destination& destination,
                 http::ClientRequest request, StreamChoice choice);
  http::Client& client_for(const Destination& destination);

  const std::string authority_pem_;
  const KubeletTls kubelet_tls_;
  const PodEgress egress_;
  const std::shared_ptr<KubeletTrust> trust_;
  const std::shared_ptr<http::ConnectionCount> kubelet_count_;
  http::Client kubelets_;
  http::Client unverified_kubelets_;  // for log requests that skip verification
  http::Client others_;               // pods and services: their certificates cannot be verified
};

}  // namespace proa::apiserver
