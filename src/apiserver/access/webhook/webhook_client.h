#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "apiserver/access/webhook/hook_caller.h"
#include "apiserver/access/webhook/retries.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/random.h"
#include "base/result.h"
#include "base/threads/deadline.h"
#include "base/threads/mutex.h"
#include "client/kubeconfig.h"
#include "http/client/client.h"
#include "http/net/loop.h"

namespace proa::apiserver {

// The dependencies of webhook clients. All outlive them.
struct WebhookContext {
  http::LoopGroup& loops;
  Clock& clock;
  Files& files;
  Random& random;
};

struct WebhookOptions {
  client::Connection connection;  // from a kubeconfig; the server URL is the webhook's
  // For a request including its retries.
  Duration timeout = std::chrono::seconds(30);
  // Reviews are small: longer responses are rejected.
  size_t answer_limit = 1024 * 1024;
  WebhookRetries retries = WebhookRetries::kReviews;
  // Whether failures repeat what the webhook says of them, as upstream's clients do. Only for those
  // whose answers are no secrets.
  bool repeats_status = false;
  // Whether a success without a body is one: of webhooks that have nothing to answer.
  bool accepts_empty = false;
  // Where the authority of the connection is stated, for messages: "caBundle".
  std::string authority_field = "certificate-authority";
  std::string user_agent = "proa";
  // Where to connect for the next request; not set: to the server of the connection, which stays
  // the name in certificates and in the Host field.
  std::function<Result<http::Origin>()> find_origin = nullptr;
  http::Dial dial = nullptr;                   // of origins with a `via`
  http::AddressCheck check_address = nullptr;  // of those that are found; null: none
};

// One of the attempts that a request takes.
struct WebhookAttempt {
  enum class Is : uint8_t { kAnswered, kFailed, kTimedOut, kCancelled };
  Is is;
  Duration took;
};

// Whether this thread may block: it is not a loop thread.
bool may_block_here(http::LoopGroup& loops);

// `why`, and whether that is a certificate that `authority_field` did not sign.
Status with_trust_hint(const Status& why, std::string_view authority_field);

// Client of one webhook: posts JSON, receives JSON. Redirects are not followed, names are resolved
// once per connection, and errors do not contain request or response, which may be secret.
// REQUIRES: not on a loop thread.
class WebhookClient {
 public:
  // Fails if the certificates cannot be read.
  static Result<std::unique_ptr<WebhookClient>> make(const WebhookContext& context,
                                                     WebhookOptions options);
  ~WebhookClient();

  // Posts and returns the response body. Retries where pause_before_retry() says so.
  Result<Bytes> post(const Bytes& json, std::vector<WebhookAttempt>* attempts = nullptr) {
    return begin(json).wait(attempts);
  }

  // A request that is on its way. The client outlives it.
  class Call {
   public:
    // Adds what it takes to `attempts`. REQUIRES: called once.
    Result<Bytes> wait(std::vector<WebhookAttempt>* attempts = nullptr);
    // Whether there is an answer to its first attempt, or will be none.
    bool has_ended() const { return first_ == nullptr || first_->is_over(); }
    // From its beginning to its end, which may be earlier than that of wait(). REQUIRES: after
    // that.
    Duration took() const { return end_ - begin_; }

   private:
    friend class WebhookClient;
    Call(WebhookClient& client, Until until, Result<http::ClientRequest> request);

    WebhookAttempt attempt(const Result<http::Response>& outcome, Steady begin) const;

    WebhookClient& client_;
    const Steady begin_;
    Steady end_;  // of the latest attempt
    const Until until_;
    const Result<http::ClientRequest> request_;
    std::unique_ptr<http::BlockingCall> first_;
  };
  Call begin(const Bytes& json) { return begin(json, options_.timeout); }
  Call begin(const Bytes& json, Duration timeout);
  // Cancels waiting calls and refuses further ones. Thread-safe.
  void stop();

  bool stopped() const { return stop_.stop_requested(); }

  // For messages: "https://hook.example:8443/authorize".
  const std::string& name() const { return name_; }
  bool may_block_here() const { return apiserver::may_block_here(context_.loops); }

 private:
  WebhookClient(const WebhookContext& context, WebhookOptions options, const http::Url& url,
                const http::ClientOptions& http);

  Result<http::ClientRequest> request(const Bytes& json, Duration timeout) const;
  // False if there is no time left for another attempt.
  bool pause(Duration how_long, const Until& until) EXCLUDES(mutex_);
  Status failure(const http::ClientRequest& request, const Result<http::Response>& outcome) const;

  const WebhookContext context_;
  const WebhookOptions options_;
  const http::Origin origin_;
  const std::string path_;
  const std::string name_;
  std::stop_source stop_;
  Mutex mutex_;
  CondVar stopped_;
  http::Client http_;
};

}  // namespace proa::apiserver
