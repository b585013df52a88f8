// The Client interface, on both of its implementations.
#include "client/client.h"

#include <gtest/gtest.h>

#include <thread>

#include "api/object/view.h"
#include "json/parse.h"
#include "testkit/apiserver/test_clients.h"

namespace proa::apiserver {
namespace {

using client::Event;
using client::EventType;
using client::Place;

std::string config_map(const std::string& name, const std::string& more = "") {
  return R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":")" + name + "\"" + more +
         R"(},"data":{"a":"1"}})";
}

std::string labelled(const std::string& name, const std::string& value) {
  return config_map(name, R"(,"labels":{"app":")" + value + R"("})");
}

std::string value_at(const api::ObjectPtr& object, std::string_view path) {
  const json::Document document = object->document().value();
  const api::View value = api::View(document.root()).at(path);
  return value.is(json::Kind::kInt) ? std::to_string(value.integer()) : std::string(value.text());
}

std::string names(const client::ObjectList& list) {
  std::string text;
  for (const api::ObjectPtr& item : list.items) text.append(item->metadata().name) += " ";
  return text;
}

const char* letter(EventType type) {
  switch (type) {
    case EventType::kAdded:
      return "+";
    case EventType::kModified:
      return "~";
    case EventType::kDeleted:
      return "-";
    case EventType::kBookmark:
      break;
  }
  return "=";
}

class ClientTest : public testing::TestWithParam<std::string> {
 protected:
  ClientTest() {
    if (GetParam() == "Local") {
      kit_ = std::make_unique<LocalTestClient>();
    } else {
      kit_ = std::make_unique<RemoteTestClient>();
    }
  }

  client::Client& client() { return kit_->client(); }
  Place maps(const std::string& name = "") {
    return {.resource = find_resource("", "configmaps"), .name_space = "default", .name = name};
  }
  api::ObjectPtr create(const std::string& text) {
    return client().create(maps(), json::parse_literal(text), {}, {}).value();
  }
  // That many events, however they are batched: "+a ~a -a".
  static std::string read(client::Watch& watch, size_t count) {
    std::string text;
    for (size_t seen = 0; seen < count;) {
      const Result<std::vector<Event>> events = watch.next({});
      if (!events) return text + "! " + events.status().message();
      for (const Event& event : *events) {
        text += std::string(letter(event.type)) + std::string(event.object->metadata().name) + " ";
        ++seen;
      }
    }
    return text;
  }

  std::unique_ptr<TestClient> kit_;
};

TEST_P(ClientTest, WritesAndReadsAnObject) {
  const api::ObjectPtr created = create(config_map("m"));
  EXPECT_EQ(created->metadata().name, "m");
  EXPECT_FALSE(created->metadata().uid.empty());
  const api::ObjectPtr found = client().get(maps("m"), {}).value();
  EXPECT_EQ(found->json(), created->json());
  std::string changed(found->json());
  changed.replace(changed.find(R"("a":"1")"), 7, R"("a":"2")");
  const api::ObjectPtr updated =
      client().update(maps("m"), json::parse_literal(changed), {}, {}).value();
  EXPECT_EQ(value_at(updated, "data.a"), "2");
  EXPECT_NE(updated->metadata().resource_version, created->metadata().resource_version);
  const api::ObjectPtr patched = client()
                                     .patch(maps("m"), api::PatchType::kMerge,
                                            json::parse_literal(R"({"data":{"b":"3"}})"), {}, {})
                                     .value();
  EXPECT_EQ(value_at(patched, "data.a") + value_at(patched, "data.b"), "23");
  EXPECT_TRUE(client().remove(maps("m"), {}, {}).ok());
  EXPECT_TRUE(client().get(maps("m"), {}).is(Reason::kNotFound));
}

TEST_P(ClientTest, SaysWhatIsWrongInTheWordsOfTheApi) {
  const Status missing = client().get(maps("m"), {}).status();
  EXPECT_EQ(missing.message(), "configmaps \"m\" not found");
  EXPECT_EQ(missing.code(), 404);
  EXPECT_EQ(missing.details().kind, "configmaps");
  EXPECT_EQ(missing.details().name, "m");
  const api::ObjectPtr first = create(config_map("m"));
  EXPECT_TRUE(client()
                  .create(maps(), json::parse_literal(config_map("m")), {}, {})
                  .is(Reason::kAlreadyExists));
  const auto patch = R"({"data":{"b":"3"}})";
  ASSERT_TRUE(
      client().patch(maps("m"), api::PatchType::kMerge, json::parse_literal(patch), {}, {}).ok());
  EXPECT_TRUE(client()
                  .update(maps("m"), json::parse_literal(std::string(first->json())), {}, {})
                  .is(Reason::kConflict));
  const Status invalid =
      client().create(maps(), json::parse_literal(config_map("Not A Name")), {}, {}).status();
  ASSERT_TRUE(invalid.is(Reason::kInvalid));
  ASSERT_EQ(invalid.details().causes.size(), 1U);
  EXPECT_EQ(invalid.details().causes[0].field, "metadata.name");
  EXPECT_TRUE(client().create(maps(), json::parse_literal("[]"), {}, {}).is(Reason::kBadRequest));
}

TEST_P(ClientTest, ListsWhatIsSelectedPageByPage) {
  create(labelled("a", "web"));
  create(labelled("b", "web"));
  create(labelled("c", "other"));
  create(labelled("d", "web"));
  EXPECT_EQ(names(client().list(maps(), {.label_selector = "app=web"}, {}).value()), "a b d ");
  EXPECT_EQ(names(client().list(maps(), {.field_selector = "metadata.name=c"}, {}).value()), "c ");
  const client::ObjectList first = client().list(maps(), {.limit = 3}, {}).value();
  EXPECT_EQ(names(first), "a b c ");
  EXPECT_NE(first.continue_token, "");
  create(labelled("e", "web"));
  const client::ObjectList rest =
      client().list(maps(), {.limit = 3, .continue_token = first.continue_token}, {}).value();
  EXPECT_EQ(names(rest), "d ");
  EXPECT_EQ(rest.resource_version, first.resource_version);
  EXPECT_EQ(first.items[0]->json(), client().get(maps("a"), {}).value()->json());
  EXPECT_TRUE(client().list(maps(), {.label_selector = "!!"}, {}).is(Reason::kBadRequest));
}

TEST_P(ClientTest, WatchesWhatIsThereAndWhatHappens) {
  create(labelled("a", "web"));
  create(labelled("b", "other"));
  const auto watch =
      client()
          .watch(maps(), {.label_selector = "app=web", .send_initial_events = true}, {})
          .value();
  EXPECT_EQ(read(*watch, 2), "+a = ");
  create(labelled("c", "web"));
  const auto relabel = R"({"metadata":{"labels":{"app":"other"}}})";
  ASSERT_TRUE(
      client().patch(maps("a"), api::PatchType::kMerge, json::parse_literal(relabel), {}, {}).ok());
  ASSERT_TRUE(client().remove(maps("b"), {}, {}).ok());
  ASSERT_TRUE(client().remove(maps("c"), {}, {}).ok());
  EXPECT_EQ(read(*watch, 3), "+c -a -c ");
}

TEST_P(ClientTest, WatchesFromARevisionOn) {
  const api::ObjectPtr first = create(config_map("a"));
  create(config_map("b"));
  const std::string from(first->metadata().resource_version);
  const auto all = client().watch(maps(), {.resource_version = from}, {}).value();
  const auto one = client().watch(maps("c"), {.resource_version = from}, {}).value();
  create(config_map("c"));
  EXPECT_EQ(read(*all, 2), "+b +c ");
  EXPECT_EQ(read(*one, 1), "+c ");
}

TEST_P(ClientTest, SaysWhenAWatchMustBeginAnew) {
  const api::ObjectPtr first = create(config_map("a"));
  for (const char* name : {"b", "c", "d"}) create(config_map(name));
  ASSERT_TRUE(kit_->store().compact(kit_->store().revision()).ok());
  Result<std::unique_ptr<client::Watch>> watch = client().watch(
      maps(), {.resource_version = std::string(first->metadata().resource_version)}, {});
  const Status status = watch ? (*watch)->next({}).status() : watch.status();
  EXPECT_TRUE(status.is(Reason::kExpired)) << status.message();
}

TEST_P(ClientTest, StopsWaitingForEvents) {
  const auto watch = client().watch(maps(), {}, {}).value();
  EXPECT_EQ(watch->next({.deadline = Steady::min(), .stop = {}})->size(), 0U);
  std::stop_source stop;
  Result<std::vector<Event>> events = Status(Reason::kUnknown, "");
  std::jthread reader([&] { events = watch->next({.stop = stop.get_token()}); });
  stop.request_stop();
  reader.join();
  ASSERT_TRUE(events.ok());
  EXPECT_EQ(events->size(), 0U);
  create(config_map("a"));
  EXPECT_EQ(read(*watch, 1), "+a ");
}

TEST_P(ClientTest, RemovesOnlyWhatIsMeant) {
  const api::ObjectPtr object = create(config_map("m"));
  EXPECT_TRUE(client().remove(maps("m"), {.uid = "another"}, {}).is(Reason::kConflict));
  EXPECT_TRUE(client().remove(maps("m"), {.resource_version = "1"}, {}).is(Reason::kConflict));
  EXPECT_TRUE(client().remove(maps("m"), {.dry_run = true}, {}).ok());
  EXPECT_TRUE(client().get(maps("m"), {}).ok());
  EXPECT_TRUE(client()
                  .remove(maps("m"),
                          {.uid = std::string(object->metadata().uid),
                           .propagation = api::Propagation::kBackground},
                          {})
                  .ok());
  EXPECT_TRUE(client().remove(maps("m"), {}, {}).is(Reason::kNotFound));
}

TEST_P(ClientTest, RemovesACollection) {
  create(labelled("a", "web"));
  create(labelled("b", "other"));
  create(labelled("c", "web"));
  ASSERT_TRUE(client().remove_collection(maps(), {.label_selector = "app=web"}, {}, {}).ok());
  EXPECT_EQ(names(client().list(maps(), {}, {}).value()), "b ");
}

TEST_P(ClientTest, ChangesNothingInADryRun) {
  const api::ObjectPtr object = client()
                                    .create(maps(), json::parse_literal(config_map("m")),
                                            {.dry_run = true, .field_manager = "test"}, {})
                                    .value();
  EXPECT_EQ(object->metadata().name, "m");
  EXPECT_TRUE(client().get(maps("m"), {}).is(Reason::kNotFound));
}

TEST_P(ClientTest, ReachesSubresources) {
  const Place place{
      .resource = find_resource("apps", "deployments"), .name_space = "default", .name = "web"};
  const std::string text =
      R"({"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"web"},"spec":{)"
      R"("replicas":2,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":)"
      R"({"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}})";
  ASSERT_TRUE(client().create(place, json::parse_literal(text), {}, {}).ok());
  Place scale = place;
  scale.subresource = "scale";
  EXPECT_EQ(value_at(client().get(scale, {}).value(), "spec.replicas"), "2");
  const api::ObjectPtr scaled =
      client()
          .patch(scale, api::PatchType::kMerge, json::parse_literal(R"({"spec":{"replicas":5}})"),
                 {}, {})
          .value();
  EXPECT_EQ(value_at(scaled, "kind"), "Scale");
  EXPECT_EQ(value_at(client().get(place, {}).value(), "spec.replicas"), "5");
  Place status = place;
  status.subresource = "status";
  const api::ObjectPtr told =
      client()
          .patch(status, api::PatchType::kMerge,
                 json::parse_literal(R"({"status":{"replicas":4}})"), {}, {})
          .value();
  EXPECT_EQ(value_at(told, "status.replicas"), "4");
  status.subresource = "nothing";
  EXPECT_TRUE(client().get(status, {}).is(Reason::kNotFound));
}

// Only members touched by a patch are decoded, but the stored object is canonical.
TEST_P(ClientTest, PatchesAStatusAndNothingElse) {
  Place place{.resource = find_resource("", "nodes"), .name_space = "", .name = "n"};
  const std::string text =
      R"({"kind":"Node","apiVersion":"v1","metadata":{"name":"n"},"spec":{"podCIDR":"10.0.0.0/24"}})";
  ASSERT_TRUE(client().create(place, json::parse_literal(text), {}, {}).ok());
  place.subresource = "status";
  const api::ObjectPtr patched =
      client()
          .patch(
              place, api::PatchType::kStrategic,
              json::parse_literal(
                  R"({"spec":{"unschedulable":true,"podCIDR":null},"status":{"conditions":[)"
                  R"({"nonsense":1,"status":"True","type":"Ready"}],"capacity":{"cpu":"1000m"}},)"
                  R"("nonsense":{}})"),
              {}, {})
          .value();
  EXPECT_EQ(value_at(patched, "status.capacity.cpu"), "1");
  EXPECT_EQ(value_at(patched, "spec.podCIDR"), "10.0.0.0/24");
  const std::string stored(client().get(place, {}).value()->json());
  EXPECT_EQ(stored, patched->json());
  EXPECT_EQ(stored.find("nonsense"), std::string::npos);
  EXPECT_EQ(stored.find("unschedulable"), std::string::npos);
  const std::string_view front =
      R"("status":{"capacity":{"cpu":"1"},"allocatable":{"cpu":"1"},"conditions":[{"type":"Ready",)";
  EXPECT_NE(stored.find(front), std::string::npos) << stored;
}

TEST_P(ClientTest, RemovesAtOnceWhatNothingHolds) {
  create(config_map("held", R"(,"finalizers":["example.com/held"])"));
  create(config_map("orphaning"));
  ASSERT_TRUE(client().remove(maps("held"), {}, {}).ok());
  EXPECT_TRUE(client().get(maps("held"), {}).value()->metadata().being_deleted);
  ASSERT_TRUE(
      client().remove(maps("orphaning"), {.propagation = api::Propagation::kOrphan}, {}).ok());
  EXPECT_TRUE(client().get(maps("orphaning"), {}).value()->metadata().has_finalizers);
  const Place pods{.resource = find_resource("", "pods"), .name_space = "default", .name = "p"};
  const auto pod = [](std::string_view node) {
    return R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p"},"spec":{)" +
           std::string(node) + R"("containers":[{"name":"c","image":"i"}]}})";
  };
  ASSERT_TRUE(client().create(pods, json::parse_literal(pod("")), {}, {}).ok());
  ASSERT_TRUE(client().remove(pods, {}, {}).ok());
  EXPECT_TRUE(client().get(pods, {}).is(Reason::kNotFound)) << "it ran nowhere";
  ASSERT_TRUE(client().create(pods, json::parse_literal(pod(R"("nodeName":"n",)")), {}, {}).ok());
  ASSERT_TRUE(client().remove(pods, {}, {}).ok());
  EXPECT_EQ(value_at(client().get(pods, {}).value(), "metadata.deletionGracePeriodSeconds"), "30");
  ASSERT_TRUE(client().remove(pods, {.grace_seconds = 0}, {}).ok());
  EXPECT_TRUE(client().get(pods, {}).is(Reason::kNotFound));
}

TEST_P(ClientTest, ConvertsToTheVersionThatIsAskedFor) {
  const std::string text =
      R"({"kind":"Event","apiVersion":"v1","metadata":{"name":"e"},"involvedObject":)"
      R"({"namespace":"default"},"message":"hello"})";
  const Place core{.resource = find_resource("", "events"), .name_space = "default", .name = "e"};
  Place other = core;
  other.resource = find_resource("events.k8s.io", "events");
  ASSERT_TRUE(client().create(core, json::parse_literal(text), {}, {}).ok());
  EXPECT_EQ(value_at(client().get(other, {}).value(), "note"), "hello");
  const client::ObjectList list = client().list(other, {}, {}).value();
  ASSERT_EQ(list.items.size(), 1U);
  EXPECT_EQ(value_at(list.items[0], "apiVersion"), "events.k8s.io/v1");
  const auto watch = client().watch(other, {.send_initial_events = true}, {}).value();
  const std::vector<Event> events = watch->next({}).value();
  EXPECT_EQ(value_at(events[0].object, "note"), "hello");
}

TEST_P(ClientTest, ListsWhatIsNotStored) {
  const client::ObjectList list =
      client().list({.resource = find_resource("", "componentstatuses")}, {}, {}).value();
  ASSERT_FALSE(list.items.empty());
  EXPECT_EQ(value_at(list.items[0], "kind"), "ComponentStatus");
}

INSTANTIATE_TEST_SUITE_P(Implementations, ClientTest, testing::Values("Local", "Remote"),
                         [](const auto& chosen) { return chosen.param; });

TEST(LocalClient, HandsOutTheObjectsOfTheStore) {
  LocalTestClient kit;
  const Place place{
      .resource = find_resource("", "namespaces"), .name_space = "", .name = "default"};
  const api::ObjectPtr found = kit.client().get(place, {}).value();
  EXPECT_EQ(kit.client().get(place, {}).value(), found);
  const auto watch = kit.client().watch(place, {.send_initial_events = true}, {}).value();
  EXPECT_EQ(watch->next({}).value()[0].object, found);
}

}  // namespace
}  // namespace proa::apiserver
