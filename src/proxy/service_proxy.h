#pragma once

#include <memory>
#include <string>

#include "proxy/flows/kernel_flows.h"
#include "proxy/kube_proxy.h"
#include "proxy/mode_record.h"
#include "proxy/only_one.h"
#include "proxy/proxier.h"

namespace proa::proxy {

// The proxy with the rules of its mode: what commands run. In the network namespace of the process.
class ServiceProxy {
 public:
  struct Context {
    client::Client& client;
    const api::Schema& schema;
    Clock& clock;
    Random& random;
    Files& files;
    http::LoopGroup& loops;
    WorkerPool& pool;
    std::string record;  // path of the ModeRecord
    ProxyOptions options;
  };
  // What another mode or kube-proxy left is removed once its own rules are written. kConflict if
  // another proxy runs, kNotFound if a program is not installed. REQUIRES: everything outlives it.
  static Result<std::unique_ptr<ServiceProxy>> make(Context context);

  void start() { proxier_->start(); }
  // Rules stay.
  void stop() { proxier_->stop(); }
  Result<void> health() const { return proxier_->health(); }

 private:
  ServiceProxy(Context context, OnlyOne only_one, std::unique_ptr<Rules> rules, ModeRecord record);

  const OnlyOne only_one_;
  std::unique_ptr<Rules> rules_;
  ModeRecord record_;  // of the proxier's thread, as the next
  KubeProxyTakeover takeover_;
  KernelFlows flows_;
  std::unique_ptr<Proxier> proxier_;
};

// Removes the rules that the record names, and the record. False if there were none. kConflict if a
// proxy runs.
Result<bool> remove_recorded_rules(Files& files, Clock& clock, const std::string& record);

// The same for all modes, whoever wrote them, and for kube-proxy's tables.
Result<void> remove_all_rules(Files& files, Clock& clock, const std::string& record);

}  // namespace proa::proxy
