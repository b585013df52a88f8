#include "client/remote/answers.h"

#include <gtest/gtest.h>

namespace proa::client {
namespace {

TEST(ReadList, GivesItemsTheirKind) {
  const Result<ObjectList> list = read_list(
      R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9","continue":"c"},)"
      R"( "items": [ {"metadata": {"name":"a"}}, {"kind":"Pod","metadata":{"name":"b"}}, {} ]})");
  ASSERT_TRUE(list.ok());
  EXPECT_EQ(list->resource_version, "9");
  EXPECT_EQ(list->continue_token, "c");
  ASSERT_EQ(list->items.size(), 3U);
  EXPECT_EQ(list->items[0]->json(), R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}})");
  EXPECT_EQ(list->items[0]->metadata().name, "a");
  EXPECT_EQ(list->items[1]->json(), R"({"kind":"Pod","metadata":{"name":"b"}})");
  EXPECT_EQ(list->items[2]->json(), R"({"kind":"Pod","apiVersion":"v1"})");
}

TEST(ReadList, RefusesOtherThings) {
  for (const char* body :
       {"", "[]", "{}", R"({"kind":"Pod"})", R"({"kind":"PodList","items":[1]})"}) {
    EXPECT_TRUE(read_list(body).is(Reason::kInternalError)) << body;
  }
}

TEST(WatchLines, PutsPiecesTogether) {
  WatchLines lines;
  const std::string_view text =
      "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\"}}}\n"
      "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"5\"}}}\n";
  std::vector<Event> all;
  for (const char c : text) {
    lines.feed({&c, 1});
    const Result<std::vector<Event>> events = lines.take();
    ASSERT_TRUE(events.ok());
    all.insert(all.end(), events->begin(), events->end());
  }
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].type, EventType::kAdded);
  EXPECT_EQ(all[0].object->metadata().name, "a");
  EXPECT_EQ(all[1].type, EventType::kBookmark);
  EXPECT_EQ(all[1].object->metadata().resource_version, "5");
}

TEST(WatchLines, TellsOfTheFailureAfterTheEventsBeforeIt) {
  WatchLines lines;
  lines.feed(
      "{\"type\":\"DELETED\",\"object\":{}}\n"
      "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"message\":\"too old\","
      "\"reason\":\"Gone\",\"code\":410}}\n");
  const Result<std::vector<Event>> events = lines.take();
  ASSERT_TRUE(events.ok());
  EXPECT_EQ(events->size(), 1U);
  const Result<std::vector<Event>> failed = lines.take();
  ASSERT_TRUE(failed.is(Reason::kExpired));
  EXPECT_EQ(failed.status().message(), "too old");
}

TEST(WatchLines, RefusesWhatIsNoEvent) {
  for (const char* line :
       {"nonsense\n", "{}\n", "{\"type\":\"ADDED\"}\n", "{\"type\":\"OTHER\",\"object\":{}}\n"}) {
    WatchLines lines;
    lines.feed(line);
    EXPECT_TRUE(lines.take().is(Reason::kInternalError)) << line;
  }
}

TEST(WatchLines, RefusesALineWithoutEnd) {
  WatchLines lines(10);
  lines.feed("0123456789");
  EXPECT_TRUE(lines.take().ok());
  lines.feed("0");
  EXPECT_TRUE(lines.take().is(Reason::kRequestEntityTooLarge));
}

}  // namespace
}  // namespace proa::client
