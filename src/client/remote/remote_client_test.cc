// Against servers that misbehave; what a good one answers is tested in apiserver/local.
#include "client/remote/remote_client.h"

#include <gtest/gtest.h>

#include <deque>
#include <thread>

#include "api/schema/builtin.h"
#include "http/server/server.h"
#include "json/parse.h"
#include "testkit/fake_clock.h"

namespace proa::client {
namespace {

// A server with scripted responses, which records requests.
class Answering final : public http::Handler {
 public:
  struct Answer {
    int status = 200;
    http::Headers headers;
    std::string body;
    bool stays_open = false;  // until break_off()
  };

  void handle(http::ExchangePtr exchange) override {
    MutexLock lock(mutex_);
    asked_.push_back(exchange->request());
    changed_.notify_all();
    if (answers_.empty()) return;  // and never answers
    Answer answer = std::move(answers_.front());
    answers_.pop_front();
    if (answer.stays_open) {
      exchange->start({.status = answer.status, .headers = std::move(answer.headers)});
      exchange->write(Bytes(std::move(answer.body)));
      open_.push_back(std::move(exchange));
      return;
    }
    exchange->respond({.status = answer.status,
                       .headers = std::move(answer.headers),
                       .body = Bytes(std::move(answer.body)),
                       .trailers = {}});
  }
  void add(Answer answer) {
    MutexLock lock(mutex_);
    answers_.push_back(std::move(answer));
  }
  void break_off() {
    MutexLock lock(mutex_);
    for (const http::ExchangePtr& exchange : open_) exchange->abort();
    open_.clear();
  }
  std::vector<http::RequestHead> asked() {
    MutexLock lock(mutex_);
    return asked_;
  }
  void await(size_t count) {
    MutexLock lock(mutex_);
    while (asked_.size() < count) changed_.wait(mutex_);
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  std::deque<Answer> answers_ GUARDED_BY(mutex_);
  std::vector<http::ExchangePtr> open_ GUARDED_BY(mutex_);
  std::vector<http::RequestHead> asked_ GUARDED_BY(mutex_);
};

// A clock that skips waits of a few seconds.
class SkippingClock final : public Clock {
 public:
  Time now() const override { return clock_.now(); }
  Steady steady() const override { return clock_.steady(); }
  void wait_until(CondVar& changed, Mutex& lock, Steady deadline) override REQUIRES(lock) {
    const Duration wait = deadline - clock_.steady();
    if (wait < std::chrono::seconds(10)) {
      clock_.advance(wait);
    } else {
      clock_.wait_until(changed, lock, deadline);
    }
  }
  testkit::FakeClock& fake() { return clock_; }

 private:
  testkit::FakeClock clock_;
};

class RemoteClientTest : public testing::Test {
 protected:
  RemoteClientTest() : server_(loops_, answering_, http::ServerLimits{}) {
    port_ = server_.listen({.address = "127.0.0.1", .port = 0}).value().port;
  }
  ~RemoteClientTest() override { client_.reset(); }

  RemoteClient& connect(const std::string& path = "", const std::string& token_file = "") {
    RemoteOptions options;
    options.connection.server = "http://127.0.0.1:" + std::to_string(port_) + path;
    options.connection.token = "secret";
    options.connection.token_file = token_file;
    options.connection.impersonation = acts_as_;
    options.user_agent = "test/1";
    client_ = RemoteClient::make(loops_, clock_, files_, options).value();
    return *client_;
  }
  Place place(const std::string& name) {
    return {.resource = api::builtin_schema().find_resource("", "v1", "configmaps"),
            .name_space = "a",
            .name = name};
  }

  SkippingClock clock_;
  SystemFiles files_;
  http::LoopGroup loops_{1};
  Answering answering_;
  http::Server server_;
  int port_ = 0;
  http::Headers acts_as_;
  std::unique_ptr<RemoteClient> client_;
};

TEST_F(RemoteClientTest, SaysWhoAsks) {
  RemoteClient& client = connect("/clusters/x/");
  answering_.add({.status = 200, .headers = {}, .body = R"({"metadata": {"name":"m"}})"});
  const Result<api::ObjectPtr> found = client.get(place("m"), {});
  ASSERT_TRUE(found.ok()) << found.status().message();
  EXPECT_EQ((*found)->json(), R"({"metadata":{"name":"m"}})");
  const http::RequestHead asked = answering_.asked().at(0);
  EXPECT_EQ(asked.target, "/clusters/x/api/v1/namespaces/a/configmaps/m");
  EXPECT_EQ(asked.headers.get("authorization"), "Bearer secret");
  EXPECT_EQ(asked.headers.get("user-agent"), "test/1");
  EXPECT_EQ(asked.headers.get("accept"), "application/json");
}

TEST_F(RemoteClientTest, SaysWhomItActsAs) {
  acts_as_ = {{"impersonate-user", "ann"}, {"impersonate-group", "a"}, {"impersonate-group", "b"}};
  RemoteClient& client = connect();
  answering_.add({.status = 200, .headers = {}, .body = "{}"});
  ASSERT_TRUE(client.get(place("m"), {}).ok());
  answering_.add({.status = 200, .headers = {}, .body = "", .stays_open = true});
  const auto watch = client.watch(place("m"), {}, {});
  ASSERT_TRUE(watch.ok()) << watch.status().message();
  for (const http::RequestHead& asked : answering_.asked()) {
    SCOPED_TRACE(asked.target);
    EXPECT_EQ(asked.headers.get("impersonate-user"), "ann");
    EXPECT_EQ(asked.headers.all("impersonate-group"), (std::vector<std::string_view>{"a", "b"}));
  }
}

TEST_F(RemoteClientTest, ReadsItsTokenAgain) {
  const std::string path = testing::TempDir() + "remote_client_token";
  ASSERT_TRUE(files_.write_file_atomic(path, "one\n", 0600).ok());
  RemoteClient& client = connect("", path);
  const auto token_used = [&] {
    answering_.add({.status = 200, .headers = {}, .body = "{}"});
    EXPECT_TRUE(client.get(place("m"), {}).ok());
    return std::string(answering_.asked().back().headers.get("authorization"));
  };
  EXPECT_EQ(token_used(), "Bearer one");
  ASSERT_TRUE(files_.write_file_atomic(path, "two", 0600).ok());
  EXPECT_EQ(token_used(), "Bearer one");
  clock_.fake().advance(std::chrono::minutes(1));
  EXPECT_EQ(token_used(), "Bearer two");
  ASSERT_TRUE(files_.remove(path).ok());
  clock_.fake().advance(std::chrono::minutes(1));
  EXPECT_EQ(token_used(), "Bearer two");
}

TEST_F(RemoteClientTest, ComesAgainWhenABusyServerSaysWhen) {
  RemoteClient& client = connect();
  for (const int code : {429, 503}) {
    answering_.add({.status = code, .headers = {{"retry-after", "7"}}, .body = "busy"});
  }
  answering_.add({.status = 201, .headers = {}, .body = "{}"});
  const Steady begun = clock_.steady();
  const Result<api::ObjectPtr> created =
      client.create(place(""), json::parse_literal("{}"), {}, {});
  EXPECT_TRUE(created.ok()) << created.status().message();
  EXPECT_EQ(answering_.asked().size(), 3U);
  EXPECT_EQ(clock_.steady() - begun, std::chrono::seconds(14));
}

TEST_F(RemoteClientTest, DoesNotComeAgainWhenItWouldBeTooLate) {
  RemoteClient& client = connect();
  answering_.add({.status = 429, .headers = {{"retry-after", "31"}}, .body = "busy"});
  const Result<api::ObjectPtr> found = client.get(place("m"), {});
  ASSERT_TRUE(found.is(Reason::kTooManyRequests));
  EXPECT_EQ(found.status().details().retry_after_seconds, 31);
  answering_.add({.status = 429, .headers = {}, .body = "busy"});
  EXPECT_TRUE(client.get(place("m"), {}).is(Reason::kTooManyRequests));
}

TEST_F(RemoteClientTest, GivesUpOnAServerThatDoesNotAnswer) {
  RemoteClient& client = connect();
  Result<api::ObjectPtr> found = Status(Reason::kUnknown, "");
  std::jthread caller([&] { found = client.get(place("m"), {}); });
  answering_.await(1);
  clock_.fake().await_waiters(1);
  clock_.fake().advance(std::chrono::seconds(30));
  caller.join();
  EXPECT_TRUE(found.is(Reason::kTimeout));
}

TEST_F(RemoteClientTest, CallsOffWhatWaitsWhenStopped) {
  RemoteClient& client = connect();
  Result<api::ObjectPtr> found = Status(Reason::kUnknown, "");
  std::jthread caller([&] { found = client.get(place("m"), {}); });
  answering_.await(1);
  client.stop();
  caller.join();
  EXPECT_TRUE(found.is(Reason::kServiceUnavailable));
}

TEST_F(RemoteClientTest, RefusesAnswersThatAreNoObjects) {
  RemoteClient& client = connect();
  for (const char* body : {"", "[]", "<html>"}) {
    answering_.add({.status = 200, .headers = {}, .body = body});
    EXPECT_TRUE(client.get(place("m"), {}).is(Reason::kInternalError)) << body;
  }
}

TEST_F(RemoteClientTest, FailsAWatchThatEnds) {
  RemoteClient& client = connect();
  answering_.add({.status = 200,
                  .headers = {},
                  .body = "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"m\"}}}\n"});
  Result<std::unique_ptr<Watch>> watch = client.watch(place(""), {}, {});
  ASSERT_TRUE(watch.ok());
  EXPECT_EQ((*watch)->next({})->size(), 1U);
  EXPECT_TRUE((*watch)->next({}).is(Reason::kServiceUnavailable));
}

// As informers of one thread do, which never wait in a watch.
TEST_F(RemoteClientTest, FailsAWatchThatBreaksAlsoForThoseWhoDoNotWait) {
  RemoteClient& client = connect();
  answering_.add({.status = 200,
                  .headers = {},
                  .body = "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"m\"}}}\n",
                  .stays_open = true});
  Result<std::unique_ptr<Watch>> watch = client.watch(place(""), {}, {});
  ASSERT_TRUE(watch.ok());
  Mutex mutex;
  CondVar changed;
  bool woken = true;
  (*watch)->on_ready([&] {
    MutexLock lock(mutex);
    woken = true;
    changed.notify_all();
  });
  size_t seen = 0;
  while (true) {
    {
      MutexLock lock(mutex);
      while (!woken) changed.wait(mutex);
      woken = false;
    }
    const auto events = (*watch)->next({.deadline = Steady::min(), .stop = {}});
    if (!events) {
      EXPECT_TRUE(events.is(Reason::kServiceUnavailable)) << events.status().message();
      break;
    }
    seen += events->size();
    if (seen == 1) answering_.break_off();
  }
  EXPECT_EQ(seen, 1U);
}

TEST_F(RemoteClientTest, TellsAWatchThatMustListAgain) {
  RemoteClient& client = connect();
  answering_.add({.status = 410, .headers = {}, .body = "gone"});
  EXPECT_TRUE(client.watch(place(""), {}, {}).is(Reason::kExpired));
}

}  // namespace
}  // namespace proa::client
