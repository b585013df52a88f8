#include "apiserver/objects/watch_cursor.h"

#include <gtest/gtest.h>

#include "api/schema/builtin.h"
#include "apiserver/objects/keys.h"
#include "store/memory/memory_store.h"

namespace proa::apiserver {
namespace watch_cursor_test {

// A loop may be what calls it.
TEST(WatchCursor, LooksAtSomeObjectsAtATime) {
  SystemClock clock;
  const std::unique_ptr<store::Store> store = store::make_memory_store(clock);
  Request request;
  request.verb = api::Verb::kWatch;
  request.resource = api::builtin_schema().find_resource("", "v1", "configmaps");
  request.name_space = "default";
  store::Txn txn;
  for (int i = 1000; i < 3000; ++i) {
    const std::string name = "m" + std::to_string(i);
    const std::string labels = i == 2999 ? R"(,"labels":{"app":"web"})" : "";
    txn.operations.push_back(
        store::Put{.key = key_of(*request.resource, "default", name),
                   .value = Bytes(R"({"metadata":{"name":")" + name + "\"" + labels + "}}")});
  }
  ASSERT_TRUE(store->commit(std::move(txn), store::Durability::kSynced).ok());
  ListOptions options;
  options.labels = api::LabelSelector::parse("app=web").value();
  const auto cursor = WatchCursor::open(*store, request, options, [] {}).value();
  int calls = 0;
  size_t events = 0;
  while (!cursor->has_begun() && calls < 100) {
    events += cursor->next(64).value().size();
    ++calls;
  }
  EXPECT_GE(calls, 3);
  EXPECT_LT(calls, 100);
  EXPECT_EQ(events, 1u);
  EXPECT_TRUE(cursor->next(64).value().empty());
}

TEST(WatchCursor, BeginsWithObjectsUnlessToldOtherwise) {
  ListOptions options;
  EXPECT_TRUE(WatchCursor::begins_with_objects(options));
  options.resource_version = "0";
  EXPECT_TRUE(WatchCursor::begins_with_objects(options));
  options.send_initial_events = false;
  EXPECT_FALSE(WatchCursor::begins_with_objects(options));
  options.resource_version = "10";
  options.send_initial_events.reset();
  EXPECT_FALSE(WatchCursor::begins_with_objects(options));
  options.send_initial_events = true;
  EXPECT_TRUE(WatchCursor::begins_with_objects(options));
}

}  // namespace watch_cursor_test
}  // namespace proa::apiserver
