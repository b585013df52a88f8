#pragma once

#include <functional>
#include <memory>
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

namespace proa::kubelet {

// The agent of one node: runs the pods that are bound to it, and says how they are.
class Kubelet {
 public:
  struct Context {
    client::Client& client;  // as the node: system:node:NAME
    const api::Schema& schema;
    Clock& clock;
    Random& random;
    Files& files;
    http::LoopGroup& loops;
    http::Client& http;
    WorkerPool& pool;
    KubeletOptions options;
    std::string version;  // as nodes report it: "v1.36.4+proa"
    // For the node's own server; null: none.
    const http::TlsSource* tls = nullptr;
    std::string client_authority_pem = {};  // who may sign the certificates of its clients
    // Called now and then, from any thread: ends what the runtime lost track of.
    std::function<void()> tidy_runtime = {};
  };
  virtual ~Kubelet() = default;

  // Fails with what is wrong with the machine: cgroups, folders, the port of its server.
  static Result<std::unique_ptr<Kubelet>> make(Context context);
  virtual void start() = 0;
  // Pods go on running. Waits for what is under way; so does destruction.
  virtual void stop() = 0;
  // False when `until` came first.
  virtual bool wait_ready(const Until& until) = 0;
};

}  // namespace proa::kubelet
