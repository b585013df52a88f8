#pragma once

// The dependencies of plugins, for tests without an API server: a scripted client, informers over
// it, and an empty cluster.

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/schema/builtin.h"
#include "base/threads/mutex.h"
#include "json/print.h"
#include "scheduler/framework/context.h"
#include "testkit/fake_clock.h"

namespace proa::testkit {

// A client without a server: delivers scripted events, and accepts all writes. Thread-safe.
class TellingClient final : public client::Client {
 public:
  void tell(std::string_view resource, client::EventType type, api::ObjectPtr object)
      EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    news_[std::string(resource)].push_back({type, std::move(object)});
  }
  // Objects written as a whole, in order.
  std::vector<api::ObjectPtr> written() EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return written_;
  }
  // All writes except for Events, in order: "patch pods/status default/a {...}".
  std::vector<std::string> writes() EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return writes_;
  }
  // Writes beyond that many are rejected.
  void refuse_after(size_t count) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    accepted_ = count;
  }
  // Called before each write, on the writing thread; a failure is the response.
  void on_write(std::function<Result<void>(std::string_view write)> ask) { ask_ = std::move(ask); }
  int64_t next_version() EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return ++version_;
  }

  Result<api::ObjectPtr> get(const client::Place& place, const Until&) override {
    return Status(Reason::kNotFound, client::describe(place) + " not found");
  }
  Result<client::ObjectList> list(const client::Place&, const client::ListQuery&,
                                  const Until&) override {
    return client::ObjectList{.items = {}, .resource_version = "1", .continue_token = {}};
  }
  Result<std::unique_ptr<client::Watch>> watch(const client::Place& place,
                                               const client::WatchQuery&, const Until&) override {
    tell(place.resource->name, client::EventType::kBookmark,
         api::Object::make(R"({"metadata":{"resourceVersion":"1","annotations":)"
                           R"({"k8s.io/initial-events-end":"true"}}})"));
    return std::unique_ptr<client::Watch>(
        std::make_unique<News>(*this, std::string(place.resource->name)));
  }
  Result<api::ObjectPtr> create(const client::Place& place, json::Document object,
                                const client::WriteChoices&, const Until&) override {
    return write("create", place, json::print(object.root()), Whole::kNew);
  }
  Result<api::ObjectPtr> update(const client::Place& place, json::Document object,
                                const client::WriteChoices&, const Until&) override {
    return write("update", place, json::print(object.root()), Whole::kChanged);
  }
  Result<api::ObjectPtr> patch(const client::Place& place, api::PatchType, json::Document patch,
                               const client::WriteChoices&, const Until&) override {
    return write("patch", place, json::print(patch.root()), Whole::kNo);
  }
  Result<void> remove(const client::Place& place, const client::RemoveChoices&,
                      const Until&) override {
    TRY(write("remove", place, {}, Whole::kNo));
    return {};
  }
  Result<void> remove_collection(const client::Place& place, const client::ListQuery&,
                                 const client::RemoveChoices&, const Until&) override {
    TRY(write("remove_collection", place, {}, Whole::kNo));
    return {};
  }

 private:
  class News final : public client::Watch {
   public:
    News(TellingClient& client, std::string resource)
        : client_(client), resource_(std::move(resource)) {}
    Result<std::vector<client::Event>> next(const Until&) override {
      const MutexLock lock(client_.mutex_);
      return std::exchange(client_.news_[resource_], {});
    }

   private:
    TellingClient& client_;
    const std::string resource_;
  };

  enum class Whole : uint8_t { kNo, kNew, kChanged };

  Result<api::ObjectPtr> write(std::string_view how, const client::Place& place, std::string body,
                               Whole whole) EXCLUDES(mutex_) {
    if (place.resource->name == "events") return api::Object::make(std::move(body));
    std::string line = std::string(how) + " " + client::describe(place);
    if (ask_) TRY(ask_(line));
    const MutexLock lock(mutex_);
    if (writes_.size() >= accepted_) return Status(Reason::kConflict, "it has changed");
    writes_.push_back(body.empty() ? line : line + " " + body);
    if (whole == Whole::kNo) return api::Object::make(R"({"metadata":{}})");
    if (whole == Whole::kChanged) {
      body = api::with_resource_version(body, std::to_string(++version_));
    }
    written_.push_back(api::Object::make(std::move(body)));
    return written_.back();
  }

  std::function<Result<void>(std::string_view)> ask_;
  Mutex mutex_;
  std::map<std::string, std::vector<client::Event>> news_ GUARDED_BY(mutex_);
  std::vector<api::ObjectPtr> written_ GUARDED_BY(mutex_);
  std::vector<std::string> writes_ GUARDED_BY(mutex_);
  int64_t version_ GUARDED_BY(mutex_) = 1000;
  size_t accepted_ GUARDED_BY(mutex_) = SIZE_MAX;
};

// The parts of a scheduler that plugins see, accessible to tests.
struct TestContext {
  TestContext() : TestContext(server) {}
  // With another client, which outlives it.
  explicit TestContext(client::Client& other)
      : informers(other, api::builtin_schema(), clock, random),
        events(other, clock, pool, *api::builtin_schema().find_resource("", "v1", "events"),
               {.component = "test", .host = {}}),
        spoken_to(other) {}

  scheduler::PluginContext context() {
    return {.client = {spoken_to, clock},
            .informers = informers,
            .events = events,
            .schema = api::builtin_schema(),
            .clock = clock,
            .random = random,
            .pool = pool,
            .cluster = cluster,
            .nominations = nominations,
            .permits = permits,
            .retry = [this](const api::Uid& uid) { retried.push_back(uid.str()); },
            .ask_gate = [this](const api::Uid& uid) { asked_gates.push_back(uid.str()); }};
  }

  // Delivers an added or changed object to informers immediately, with a new version.
  template <typename Builder>
  api::ObjectPtr put(std::string_view resource, Builder object) {
    return tell(resource, client::EventType::kModified,
                object.version(server.next_version()).object());
  }
  template <typename Builder>
  void remove(std::string_view resource, Builder object) {
    tell(resource, client::EventType::kDeleted, object.version(server.next_version()).object());
  }
  api::ObjectPtr tell(std::string_view resource, client::EventType type, api::ObjectPtr object) {
    server.tell(resource, type, object);
    informers.poll();
    return object;
  }

  TellingClient server;  // unless another client is given
  FakeClock clock;
  SeededRandom random{1};
  WorkerPool pool{{.max_threads = 0}};
  client::Informers informers;
  client::EventRecorder events;
  scheduler::Cluster cluster;
  scheduler::Nominations nominations{[this](api::NodeNameView node) { cluster.touch(node); }};
  scheduler::Permits permits{clock};
  scheduler::PodReader reader;
  std::vector<std::string> retried;  // pods that plugins requeued, by uid
  std::vector<std::string> asked_gates;

 private:
  client::Client& spoken_to;
};

}  // namespace proa::testkit
