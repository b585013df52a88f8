#pragma once

#include <memory>
#include <string>

#include "apiserver/access/authn/jwt/json_web_keys.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/time.h"
#include "http/client/client.h"
#include "http/net/loop.h"
#include "http/net/tls.h"
#include "http/wire/url.h"

namespace proa::apiserver {

// The keys of one issuer. They are found by its discovery document, and fetched for the first time
// when this is made; then, without anybody waiting for it, when a token comes and they are old; and
// when a token names a key that is not among them, for which its caller may wait. There is no
// thread: requests keep it going, and without any it is silent. From any thread.
class IssuerKeys {
 public:
  // Whatever a token says: the issuer is not asked more often than this.
  static constexpr Duration kLeastPause = std::chrono::seconds(10);
  // Keys that an issuer has withdrawn are no longer believed after this, while there are requests.
  static constexpr Duration kOld = std::chrono::minutes(5);
  // For both documents together; what takes longer is given up.
  static constexpr Duration kFetchTimeout = std::chrono::seconds(30);
  // A caller waits no longer than this, and no more callers at once: each holds a thread.
  static constexpr Duration kLongestWait = std::chrono::seconds(10);
  static constexpr int kMostWaiting = 32;

  struct Source {
    std::string issuer;  // what the discovery document must say
    http::Url discovery;
    std::shared_ptr<const http::TlsContext> tls;
  };
  using Keys = std::shared_ptr<const JsonWebKeys>;

  // Loops and clock outlive it. REQUIRES: the discovery document's URL is an https one.
  IssuerKeys(http::LoopGroup& loops, Clock& clock, Source source);
  // Not on a loop's thread.
  ~IssuerKeys();

  // What is known, perhaps old; null before the issuer has answered for the first time.
  Keys known();
  // Has them fetched, unless that was done just now.
  void renew();
  // Whether there is something that renewed() would wait for.
  bool can_wait() const;
  // Has them fetched, unless that was done just now, and waits until they are others than `known`;
  // the same where that could not be brought about. REQUIRES: not on a loop's thread.
  Keys renewed(const Keys& known);
  // Calls off what waits, and fetches nothing more.
  void stop();

 private:
  class State;
  http::Client client_;
  // Shared with what is under way; uses the client until it is stopped.
  const std::shared_ptr<State> state_;
};

}  // namespace proa::apiserver
