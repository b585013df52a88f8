#pragma once

#include <memory>

#include "apiserver/access/webhook/hook_config.h"
#include "base/bytes.h"
#include "base/result.h"
#include "base/time.h"

namespace proa::apiserver {

// A request to a webhook that is on its way.
class HookCall {
 public:
  virtual ~HookCall() = default;
  // The body of the answer. REQUIRES: called once, not on a loop's thread.
  virtual Result<Bytes> wait() = 0;
  // How long the webhook took, without what this server made it wait for: its turn, or answers of
  // other webhooks. REQUIRES: after wait().
  virtual Duration took() const = 0;
};

// Calls webhooks that objects of the cluster name. Thread-safe.
class HookCaller {
 public:
  virtual ~HookCaller() = default;

  // Several calls may be begun before one is waited for; all callers that do so wait for webhooks
  // in the same order. Fails with kTooManyRequests if too many wait for that webhook already, or
  // for all. REQUIRES: this outlives the call; not on a loop's thread.
  virtual Result<std::unique_ptr<HookCall>> begin(const HookConfig& config, Bytes json,
                                                  Duration timeout) = 0;
  Result<Bytes> post(const HookConfig& config, Bytes json,
                     Duration timeout = std::chrono::seconds(30)) {
    return TRY(begin(config, std::move(json), timeout))->wait();
  }
};

}  // namespace proa::apiserver
