#include "client/events/recorder.h"

#include <gtest/gtest.h>

#include "api/object/view.h"
#include "apiserver/front/local/faulty_client.h"
#include "base/log.h"
#include "testkit/apiserver/test_clients.h"

namespace proa::apiserver {
namespace {

using client::Place;

class RecorderTest : public testing::Test {
 protected:
  // The only Event: "count first last message".
  std::string only(const std::string& name_space) {
    const client::ObjectList list =
        kit_.client().list({.resource = &events_, .name_space = name_space}, {}, {}).value();
    if (list.items.size() != 1) return std::to_string(list.items.size()) + " events";
    name_ = list.items[0]->metadata().name;
    const json::Document document = list.items[0]->document().value();
    const api::View event = document.root();
    return std::to_string(event["count"].integer()) + " " +
           std::string(event["firstTimestamp"].text()) + " " +
           std::string(event["lastTimestamp"].text()) + " " + std::string(event["type"].text()) +
           " " + std::string(event["reason"].text()) + " " +
           std::string(event["source"]["component"].text()) + " " +
           std::string(event["involvedObject"]["kind"].text()) + ": " +
           std::string(event["message"].text());
  }

  LocalTestClient kit_;
  const api::Resource& events_ = *find_resource("", "events");
  SeededRandom random_{1};
  FaultyClient faulty_{kit_.client(), random_};
  WorkerPool pool_;
  client::EventRecorder recorder_{faulty_, kit_.clock(), pool_, events_, {"tester", "n1"}};
  const client::ObjectReference pod_{.api_version = "v1",
                                     .kind = "Pod",
                                     .name_space = "default",
                                     .name = "web",
                                     .uid = "u",
                                     .resource_version = "",
                                     .field_path = ""};
  std::string name_;
};

TEST_F(RecorderTest, CountsTheSameEvent) {
  recorder_.normal(pod_, "Pulled", "it's \"there\"");
  kit_.clock().advance(std::chrono::minutes(1));
  recorder_.normal(pod_, "Pulled", "it's \"there\"");
  recorder_.flush();
  EXPECT_EQ(only("default"),
            "2 2026-01-02T15:04:05Z 2026-01-02T15:05:05Z Normal Pulled tester Pod: it's \"there\"");
}

TEST_F(RecorderTest, WritesAnewWhatWasDeleted) {
  recorder_.warning(pod_, "Failed", "no");
  recorder_.flush();
  EXPECT_EQ(only("default"),
            "1 2026-01-02T15:04:05Z 2026-01-02T15:04:05Z Warning Failed tester Pod: no");
  const Place place{.resource = &events_, .name_space = "default", .name = name_};
  ASSERT_TRUE(kit_.client().remove(place, {}, {}).ok());
  recorder_.warning(pod_, "Failed", "no");
  recorder_.flush();
  EXPECT_EQ(only("default"),
            "2 2026-01-02T15:04:05Z 2026-01-02T15:04:05Z Warning Failed tester Pod: no");
}

TEST_F(RecorderTest, TellsOfAClustersObjectsInTheDefaultNamespace) {
  const api::ObjectPtr object = kit_.client()
                                    .get({.resource = find_resource("", "namespaces"),
                                          .name_space = "",
                                          .name = "kube-system"},
                                         {})
                                    .value();
  recorder_.normal(client::ObjectReference::to(*object), "Seen", "hello");
  recorder_.flush();
  EXPECT_EQ(only("default"),
            "1 2026-01-02T15:04:05Z 2026-01-02T15:04:05Z Normal Seen tester Namespace: hello");
}

TEST_F(RecorderTest, DropsWhatCannotBeWritten) {
  faulty_.fail_one_of(1);
  recorder_.normal(pod_, "Lost", "x");
  recorder_.flush();
  EXPECT_EQ(only("default"), "0 events");
}

size_t g_dropped = 0;

TEST_F(RecorderTest, SaysOfManyDroppedEventsOnlySome) {
  g_dropped = 0;
  set_log_sink([](std::string_view line) {
    if (line.find("event dropped") != std::string_view::npos) ++g_dropped;
  });
  faulty_.fail_one_of(1);
  client::ObjectReference pod = pod_;
  for (int i = 0; i < 500; ++i) {
    pod.name = pod.uid = "web-" + std::to_string(i);
    recorder_.normal(pod, "Lost", "x");
  }
  recorder_.flush();
  set_log_sink(nullptr);
  EXPECT_GE(g_dropped, 1U);
  EXPECT_LE(g_dropped, 10U);
}

}  // namespace
}  // namespace proa::apiserver
