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
// all of them. Calls beyond what one gets at a time wait for their turn, within their timeouts.
// Thread-safe.
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
    size_t calls_per_hook = 16;  // at a time
    size_t queued_per_hook = 0;  // besides those; further ones are refused
    size_t calls = 64;           // of all, also those that are queued; further ones are refused
    size_t answer_bytes = 6 * 1024 * 1024;  // several times what is asked; objects may grow
  };
  // For webhooks that writes must pass, each maybe several. A burst of hundreds waits for its turn;
  // the server has more threads than there are calls, so that others always have some.
  static Limits for_admission() {
    return {.calls_per_hook = 64, .queued_per_hook = 192, .calls = 1024};
  }

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
    // All are guarded by mutex_.
    size_t calls = 0;    // queued ones, too
    size_t sent = 0;     // of those
    size_t blocked = 0;  // threads that wait for their turn
    CondVar ended;       // of a call
  };
  using HookPtr = std::shared_ptr<Hook>;
  // A call that counts.
  struct Place {
    HookPtr hook;
    bool is_sent = false;  // otherwise it is queued
  };

  class Waiting;

  Result<Place> enter(const HookConfig& config) EXCLUDES(mutex_);
  Result<HookPtr> make(const HookConfig& config) const;
  HookPtr find(const std::string& key) REQUIRES(mutex_);
  // Removes the one that is not used for longest; null: all are.
  HookPtr take_idle() REQUIRES(mutex_);
  Result<Place> count(HookPtr hook, const HookConfig& config) REQUIRES(mutex_);
  // Waits until a queued call may be sent. Returns what is left of its time.
  Result<Duration> take_turn(Hook& hook, Steady deadline) EXCLUDES(mutex_);
  void leave(const Place& place) EXCLUDES(mutex_);

  const Context context_;
  const Limits limits_;
  Mutex mutex_;
  std::list<HookPtr> hooks_ GUARDED_BY(mutex_);  // used last in front
  size_t calls_ GUARDED_BY(mutex_) = 0;
  bool stopped_ GUARDED_BY(mutex_) = false;
};

}  // namespace proa::apiserver
