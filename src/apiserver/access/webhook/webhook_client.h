#pragma once

#include <memory>
#include <stop_token>
#include <string>

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

// What those need who ask other servers. Everything outlives them.
struct WebhookContext {
  http::LoopGroup& loops;
  Clock& clock;
  Files& files;
  Random& random;
};

struct WebhookOptions {
  client::Connection connection;  // of a kubeconfig: the server's URL names the webhook itself
  // For a question and its repetitions.
  Duration timeout = std::chrono::seconds(30);
  // Reviews are small; what answers with more is no webhook.
  size_t answer_limit = 1024 * 1024;
};

// Whether this thread may be kept waiting: it is none of the loops'.
bool may_block_here(http::LoopGroup& loops);

// Asks one webhook: sends JSON, gets JSON. Redirects are not followed, names are looked up once a
// connection, and failures say nothing of what was sent or answered, which may be secret. From any
// thread but a loop's.
class WebhookClient {
 public:
  // Fails when the certificates can't be read.
  static Result<std::unique_ptr<WebhookClient>> make(const WebhookContext& context,
                                                     WebhookOptions options);
  ~WebhookClient();

  // The answer to this JSON; repeats the question where that may help.
  Result<Bytes> post(const Bytes& json);
  // Calls off what waits, and refuses what comes later. From any thread.
  void stop();

  // For messages: "https://hook.example:8443/authorize".
  const std::string& name() const { return name_; }
  bool may_block_here() const { return apiserver::may_block_here(context_.loops); }

 private:
  WebhookClient(const WebhookContext& context, WebhookOptions options, const http::Url& url,
                const http::ClientOptions& http);

  Result<http::ClientRequest> request(const Bytes& json) const;
  // False when there is no time left for another attempt.
  bool pause(Duration how_long, const Until& until) EXCLUDES(mutex_);
  Status failure(const Result<http::Response>& outcome) const;

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
