#include "kubelet/pod/status/status_writer.h"

#include <gtest/gtest.h>

#include <atomic>

#include "json/parse.h"
#include "testkit/controllers/test_world.h"

namespace proa::kubelet {
namespace {

using api::View;

// Counts writes, and fails those that a test wants to fail.
class TestClient final : public client::Client {
 public:
  explicit TestClient(client::Client& inner) : inner_(inner) {}

  Result<api::ObjectPtr> get(const client::Place& place, const Until& until) override {
    ++gets;
    if (forbidden) return Status(Reason::kForbidden, "no relationship found");
    return inner_.get(place, until);
  }
  Result<client::ObjectList> list(const client::Place& place, const client::ListQuery& query,
                                  const Until& until) override {
    return inner_.list(place, query, until);
  }
  Result<std::unique_ptr<client::Watch>> watch(const client::Place& place,
                                               const client::WatchQuery& query,
                                               const Until& until) override {
    return inner_.watch(place, query, until);
  }
  Result<api::ObjectPtr> create(const client::Place& place, json::Document object,
                                const client::WriteChoices& choices, const Until& until) override {
    return inner_.create(place, std::move(object), choices, until);
  }
  Result<api::ObjectPtr> update(const client::Place& place, json::Document object,
                                const client::WriteChoices& choices, const Until& until) override {
    return inner_.update(place, std::move(object), choices, until);
  }
  Result<api::ObjectPtr> patch(const client::Place& place, api::PatchType type,
                               json::Document patch, const client::WriteChoices& choices,
                               const Until& until) override {
    ++patches;
    if (failures > 0) {
      --failures;
      return Status(Reason::kServiceUnavailable, "the connection broke");
    }
    return inner_.patch(place, type, std::move(patch), choices, until);
  }
  Result<void> remove(const client::Place& place, const client::RemoveChoices& choices,
                      const Until& until) override {
    return inner_.remove(place, choices, until);
  }
  Result<void> remove_collection(const client::Place& place, const client::ListQuery& query,
                                 const client::RemoveChoices& choices,
                                 const Until& until) override {
    return inner_.remove_collection(place, query, choices, until);
  }

  std::atomic<int> gets = 0;
  std::atomic<bool> forbidden = false;
  std::atomic<int> patches = 0;
  std::atomic<int> failures = 0;

 private:
  client::Client& inner_;
};

class StatusWriterTest : public testing::Test {
 protected:
  StatusWriterTest()
      : world_(std::vector<controllers::ControllerEntry>{}), client_(world_.client()) {
    world_.create("", "namespaces", "", R"({"metadata":{"name":"d"}})");
    start();
  }
  // Everything is written when set() returns, unless threads are wanted.
  void start(size_t threads = 0) {
    writer_.reset();
    pool_ = std::make_unique<WorkerPool>(WorkerPool::Options{.max_threads = threads});
    StatusWriterContext context{.client = client_,
                                .pods = *world_.place("", "pods", "d", "a").resource,
                                .clock = world_.clock(),
                                .random = random_,
                                .pool = *pool_,
                                .mirror_of = [this](const api::PodKey&) { return mirror_; },
                                .may_run = [this](api::UidView) { return may_run_; },
                                .is_gone = [this](api::UidView) { return is_gone_.load(); }};
    writer_ = make_status_writer(std::move(context));
  }
  PodPtr create(const std::string& name = "a") {
    world_.create("", "pods", "d",
                  R"({"metadata":{"name":")" + name +
                      R"("},"spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]}})");
    return get(name);
  }
  PodPtr get(const std::string& name = "a") {
    const api::ObjectPtr object = world_.get("", "pods", "d", name);
    return object == nullptr ? nullptr : *Pod::read(object, Pod::Source::kApi);
  }
  void set(const PodPtr& pod, const std::string& status) {
    auto parsed = json::parse(status);
    writer_->set(pod, std::move(*parsed));
  }

  testkit::TestWorld world_;
  TestClient client_;
  SeededRandom random_{1};
  PodPtr mirror_;
  bool may_run_ = false;
  std::atomic<bool> is_gone_ = false;
  std::unique_ptr<WorkerPool> pool_;
  std::unique_ptr<StatusWriter> writer_;
};

TEST_F(StatusWriterTest, WritesWhatDiffersOnce) {
  const PodPtr pod = create();
  const std::string status =
      R"({"phase":"Running","qosClass":"BestEffort","conditions":[{"type":"Ready","status":"True"}],)"
      R"("containerStatuses":[{"name":"c","state":{"running":{"startedAt":"2026-01-02T15:04:05Z"}}}]})";
  set(pod, status);
  EXPECT_EQ(get()->status()["phase"].text(), "Running");
  EXPECT_EQ(client_.patches, 1);
  set(pod, status);
  EXPECT_EQ(client_.patches, 1);
  // A writer that knows nothing finds the API up to date.
  start();
  set(pod, status);
  EXPECT_EQ(client_.patches, 1);
  EXPECT_EQ(View(writer_->last(pod->uid())->root())["phase"].text(), "Running");
}

TEST_F(StatusWriterTest, KeepsConditionsThatOthersAddMeanwhile) {
  const PodPtr pod = create();
  set(pod, R"({"phase":"Pending","conditions":[{"type":"Ready","status":"False"}]})");
  world_.patch("", "pods", "d", "a",
               R"({"status":{"conditions":[{"type":"x/y","status":"True"},)"
               R"({"type":"Ready","status":"False"}]}})",
               "status");
  set(pod, R"({"phase":"Running","conditions":[{"type":"Ready","status":"True"}]})");
  EXPECT_EQ(get()->status()["conditions"].size(), 2u);
}

TEST_F(StatusWriterTest, WritesAgainWhatOthersTurnedBack) {
  const PodPtr pod = create();
  set(pod, R"({"phase":"Running","qosClass":"BestEffort"})");
  writer_->seen(get());
  EXPECT_EQ(client_.patches, 1);
  world_.patch("", "pods", "d", "a", R"({"status":{"phase":"Pending"}})", "status");
  writer_->seen(get());
  EXPECT_EQ(get()->status()["phase"].text(), "Running");
}

TEST_F(StatusWriterTest, DoesNotInsistOnWhatTheServerDrops) {
  const PodPtr pod = create();
  set(pod, R"({"phase":"Running"})");  // without a qosClass, which the server keeps
  ASSERT_TRUE(get()->status()["qosClass"]);
  for (int round = 0; round < 5; ++round) writer_->seen(get());
  EXPECT_EQ(client_.patches, 1);
}

TEST_F(StatusWriterTest, TakesAwayDeletedPodsAfterTheirLastStatus) {
  create();
  world_.client().remove(world_.place("", "pods", "d", "a"), {.grace_seconds = 30}, {}).value();
  const PodPtr pod = get();
  ASSERT_TRUE(pod->deleted_at());
  may_run_ = true;
  set(pod, R"({"phase":"Failed"})");
  EXPECT_NE(get()->status()["phase"].text(), "Failed");  // not while containers may run
  may_run_ = false;
  set(pod, R"({"phase":"Failed"})");
  EXPECT_EQ(get()->status()["phase"].text(), "Failed");
  writer_->finish(pod);
  EXPECT_EQ(get(), nullptr);
  EXPECT_EQ(writer_->last(pod->uid()), nullptr);
}

TEST_F(StatusWriterTest, LeavesPodsThatAreNotDeleted) {
  const PodPtr pod = create();
  set(pod, R"({"phase":"Succeeded"})");
  writer_->finish(pod);
  EXPECT_NE(get(), nullptr);
  world_.client().remove(world_.place("", "pods", "d", "a"), {.grace_seconds = 30}, {}).value();
  const PodPtr left = get();
  if (left != nullptr) writer_->seen(left);
  EXPECT_EQ(get(), nullptr);
}

TEST_F(StatusWriterTest, LeavesAnotherPodOfThatNameAlone) {
  const PodPtr old = create();
  world_.client().remove(world_.place("", "pods", "d", "a"), {.grace_seconds = 0}, {}).value();
  const PodPtr fresh = create();
  set(old, R"({"phase":"Failed"})");
  writer_->finish(old);
  EXPECT_EQ(get()->uid(), fresh->uid());
  EXPECT_EQ(get()->status()["phase"].text(), "Pending");
}

TEST_F(StatusWriterTest, TellsStaticPodsByTheirMirror) {
  const PodPtr api_pod = create();
  const PodPtr pod = *Pod::read(
      api::Object::make(R"({"metadata":{"name":"a","namespace":"d","uid":"hash"},"spec":{}})"),
      Pod::Source::kFile);
  set(pod, R"({"phase":"Running"})");
  EXPECT_EQ(client_.patches, 0);  // there is no mirror
  mirror_ =
      *Pod::read(api::Object::make(R"({"metadata":{"name":"a","namespace":"d","uid":")" +
                                   api_pod->uid().str() +
                                   R"(","annotations":{"kubernetes.io/config.mirror":"hash"}}})"),
                 Pod::Source::kApi);
  writer_->seen(mirror_);
  EXPECT_EQ(get()->status()["phase"].text(), "Running");
}

// A file that changed is another pod of the same name, whose mirror may be there while the old one
// still ends.
TEST_F(StatusWriterTest, TellsTheMirrorOfOneStaticPodNothingOfAnother) {
  const PodPtr api_pod = create();
  const PodPtr pod = *Pod::read(
      api::Object::make(R"({"metadata":{"name":"a","namespace":"d","uid":"old"},"spec":{}})"),
      Pod::Source::kFile);
  mirror_ =
      *Pod::read(api::Object::make(R"({"metadata":{"name":"a","namespace":"d","uid":")" +
                                   api_pod->uid().str() +
                                   R"(","annotations":{"kubernetes.io/config.mirror":"new"}}})"),
                 Pod::Source::kApi);
  set(pod, R"({"phase":"Running"})");
  writer_->seen(mirror_);
  EXPECT_EQ(client_.patches, 0);
}

TEST_F(StatusWriterTest, TriesAgainLater) {
  const PodPtr pod = create();
  start(2);
  client_.failures = 1;
  set(pod, R"({"phase":"Running"})");
  world_.clock().await_waiters(1);
  EXPECT_EQ(client_.patches, 1);
  world_.clock().advance(std::chrono::milliseconds(50));
  EXPECT_EQ(client_.patches, 1);
  world_.clock().advance(std::chrono::seconds(1));
  pool_.reset();  // ends when the work is done
  EXPECT_EQ(client_.patches, 2);
  EXPECT_EQ(get()->status()["phase"].text(), "Running");
}

// As the API answers a node that asks for a pod which is not its own, or not there.
TEST_F(StatusWriterTest, ForgetsAForbiddenPodOnceItIsKnownToBeGone) {
  const PodPtr pod = create();
  start(2);
  client_.forbidden = true;
  set(pod, R"({"phase":"Running"})");
  world_.clock().await_waiters(1);
  EXPECT_NE(writer_->last(pod->uid()), nullptr);
  is_gone_ = true;
  world_.clock().advance(std::chrono::seconds(1));
  pool_.reset();  // ends when the work is done
  EXPECT_EQ(client_.gets, 2);
  EXPECT_EQ(writer_->last(pod->uid()), nullptr);
}

TEST_F(StatusWriterTest, AForbiddenPodThatIsWantedIsWrittenLater) {
  const PodPtr pod = create();
  start(2);
  client_.forbidden = true;
  set(pod, R"({"phase":"Running"})");
  world_.clock().await_waiters(1);
  client_.forbidden = false;
  world_.clock().advance(std::chrono::seconds(1));
  pool_.reset();
  EXPECT_EQ(get()->status()["phase"].text(), "Running");
}

TEST_F(StatusWriterTest, WritesOnlyTheNewest) {
  const PodPtr pod = create();
  start(2);
  client_.failures = 1;
  set(pod, R"({"phase":"Pending","reason":"one"})");
  world_.clock().await_waiters(1);
  set(pod, R"({"phase":"Running"})");
  pool_.reset();
  EXPECT_EQ(client_.patches, 2);
  EXPECT_EQ(get()->status()["phase"].text(), "Running");
}

TEST_F(StatusWriterTest, EndsWhileItWaits) {
  const PodPtr pod = create();
  start(2);
  client_.failures = 100;
  set(pod, R"({"phase":"Running"})");
  world_.clock().await_waiters(1);
  writer_.reset();
  EXPECT_EQ(client_.patches, 1);
}

}  // namespace
}  // namespace proa::kubelet
