#pragma once

#include <list>
#include <memory>
#include <string>

#include "apiserver/access/webhook/webhook_client.h"
#include "apiserver/objects/reader.h"
#include "apiserver/streaming/webhooks/hook_config.h"
#include "base/bytes.h"
#include "base/threads/mutex.h"

namespace proa::apiserver {

// Calls webhooks that the cluster's objects name. Connections are kept for the latest ones. A
// webhook that hangs holds the threads of its callers, so that only some may wait for one, and for
// all of them. Thread-safe.
class HookClients {
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
  };
  explicit HookClients(Context context) : HookClients(std::move(context), Limits{}) {}
  HookClients(Context context, const Limits& limits);
  ~HookClients();

  // Returns the body of the answer. Fails with kTooManyRequests if too many wait already. REQUIRES:
  // not on a loop's thread.
  Result<Bytes> post(const HookConfig& config, const Bytes& json, size_t answer_limit)
      EXCLUDES(mutex_);
  // Cancels waiting calls and refuses further ones.
  void stop() EXCLUDES(mutex_);

  Random& random() { return context_.webhooks.random; }

 private:
  struct Hook {
    std::string key;
    std::unique_ptr<WebhookClient> client;
    size_t calls = 0;  // guarded by mutex_
  };
  using HookPtr = std::shared_ptr<Hook>;

  Result<HookPtr> enter(const HookConfig& config, size_t answer_limit) EXCLUDES(mutex_);
  Result<HookPtr> make(const HookConfig& config, size_t answer_limit) const;
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
