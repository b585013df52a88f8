#pragma once

#include <memory>
#include <string>

#include "apiserver/access/authn/jwt/json_web_keys.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/threads/deadline.h"
#include "base/time.h"
#include "http/client/client.h"
#include "http/net/loop.h"
#include "http/net/tls.h"
#include "http/wire/url.h"

namespace proa::apiserver {

// The signing keys of one issuer, located by its discovery document. They are first fetched at
// construction, then in the background when a token arrives and they are older than kMaxAge, and
// when a token names an unknown key; the caller may wait for the latter. There is no refresh
// thread: without requests nothing is fetched. Thread-safe.
class IssuerKeys {
 public:
  // The issuer is not queried more often than this, whatever tokens claim.
  static constexpr Duration kMinFetchInterval = std::chrono::seconds(10);
  // While there are requests, keys withdrawn by the issuer are rejected after this.
  static constexpr Duration kMaxAge = std::chrono::minutes(5);
  // Covers both documents.
  static constexpr Duration kFetchTimeout = std::chrono::seconds(30);
  // Bounds the wait of one caller and the number of waiting callers, since each blocks a thread.
  static constexpr Duration kMaxWait = std::chrono::seconds(10);
  static constexpr int kMaxWaiters = 32;

  struct Source {
    std::string issuer;  // expected in the discovery document
    http::Url discovery;
    std::shared_ptr<const http::TlsContext> tls;
  };
  using Keys = std::shared_ptr<const JsonWebKeys>;

  // Loops and clock outlive it. REQUIRES: the discovery URL is https.
  IssuerKeys(http::LoopGroup& loops, Clock& clock, Source source);
  // REQUIRES: not on a loop thread.
  ~IssuerKeys();

  // Returns the cached keys, possibly stale; null until the first fetch succeeds.
  Keys known();
  // Starts a fetch, unless one started less than kMinFetchInterval ago.
  void renew();
  // Whether renewed() could block.
  bool can_wait() const;
  // Starts a fetch as renew() does and waits for keys that differ from `known`. Returns `known` if
  // there are none in time. REQUIRES: not on a loop thread.
  Keys renewed(const Keys& known);
  // Waits for the first keys, fetching as often as it may; whether there are any. REQUIRES: not on
  // a loop thread.
  bool await_first(const Until& until);
  // Cancels waiting calls and all further fetches.
  void stop();

 private:
  class State;
  http::Client client_;
  // Shared with fetches in progress, which use the client until stopped.
  const std::shared_ptr<State> state_;
};

}  // namespace proa::apiserver
