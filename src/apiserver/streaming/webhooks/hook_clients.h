#pragma once

#include <list>
#include <memory>
#include <string>

#include "apiserver/access/webhook/hook_caller.h"
#include "apiserver/access/webhook/webhook_client.h"
#include "apiserver/objects/reader.h"
#include "apiserver/streaming/service_origin.h"
#include "base/bytes.h"
#include "base/threads/mutex.h"

namespace proa::apiserver {

// Calls webhooks that the cluster's objects name. Connections are kept for the latest ones. A
// webhook that hangs holds the threads of its callers, so that only some may wait for one, and for
// all of them. Thread-safe.
class HookClients final : public HookCaller {
 public:
  // All outlive it.
  struct Context {
    WebhookContext webhooks;
    ObjectReader objects;
    PodEgress egress = PodEgress::kDirect;
    http::Dial dial = nullptr;  // of pods
  };
  struct Limits {
    size_t clients = 64;
    size_t calls_per_hook = 16;
    size_t calls = 64;
    size_t answer_bytes = 6 * 1024 * 1024;  // several times what is asked; objects may grow
  };
  explicit HookClients(Context context) : HookClients(std::move(context), Limits{}) {}
  HookClients(Context context, const Limits& limits);
  ~HookClients() override;

  Result<std::unique_ptr<HookCall>> begin(const HookConfig& config, Bytes json,
                                          Duration timeout) override EXCLUDES(mutex_);
  // Cancels waiting calls and refuses further ones.
  void stop() EXCLUDES(mutex_);

 private:
  struct Hook {
    std::string key;
    std::unique_ptr<WebhookClient> client;
    size_t calls = 0;  // guarded by mutex_
  };
  using HookPtr = std::shared_ptr<Hook>;

  class Waiting;

  Result<HookPtr> enter(const HookConfig& config) EXCLUDES(mutex_);
  Result<HookPtr> make(const HookConfig& config) const;
  HookPtr find(const std::string& key) REQUIRES(mutex_);
  Result<void> count(Hook& hook) REQUIRES(mutex_);
  void leave(Hook& hook) EXCLUDES(mutex_);

  const Context context_;
  const Limits limits_;
  Mutex mutex_;
  std::list<HookPtr> hooks_ GUARDED_BY(mutex_);  // used last in front
  size_t calls_ GUARDED_BY(mutex_) = 0;
  bool stopped_ GUARDED_BY(mutex_) = false;
};

}  // namespace proa::apiserver
