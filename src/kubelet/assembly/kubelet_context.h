#pragma once

#include <functional>
#include <string>

#include "api/schema/schema.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/random.h"
#include "base/threads/pool.h"
#include "client/client.h"
#include "http/client/client.h"
#include "http/net/loop.h"
#include "http/net/tls.h"
#include "kubelet/model/options.h"
#include "kubelet/model/pod.h"
#include "kubelet/node/agent/node_status.h"

namespace proa::kubelet {

// What a kubelet is given. Everything outlives it.
struct KubeletContext {
  client::Client& client;  // authenticated as system:node:NAME
  const api::Schema& schema;
  Clock& clock;
  Random& random;
  Files& files;
  http::LoopGroup& loops;
  http::Client& http;
  WorkerPool& pool;
  KubeletOptions options;
  std::string version;  // as nodes report it: "v1.36.4+proa"
  // Of the node's HTTPS endpoint; null: it has none.
  const http::TlsSource* tls = nullptr;
  std::string client_authority_pem = {};  // the CA of client certificates
  // What the pod network says of itself; null if it is not ours. From any thread.
  std::function<PodNetworkSeen()> network = {};
  // Called before containers of a pod start, from any thread: waits until rules for its addresses
  // are in force. Null: nobody has rules.
  std::function<Result<void>(const Pod& pod, const std::vector<std::string>& addresses,
                             const Until& until)>
      prepare_network = {};
  // Called at each resync, from any thread: ends what the runtime lost track of.
  std::function<void()> tidy_runtime = {};
};

}  // namespace proa::kubelet
