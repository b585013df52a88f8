#include "api/apply/managed/field_manager.h"

#include <gtest/gtest.h>

#include <array>

#include "api/apply/managed/entries.h"
#include "api/codec/json/decode.h"
#include "api/schema/builtin.h"
#include "api/schema/schema.h"
#include "api/structure/structure.h"
#include "json/parse.h"
#include "json/print.h"

namespace proa::api {
namespace {

constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

// A ConfigMap that is written again and again. Defaults are of no concern: it has none.
class FieldManagerTest : public testing::Test {
 protected:
  // {"data":{...}} with kind and name.
  static std::string with_kind(std::string_view text) {
    const json::Document parsed = json::parse_literal(text);
    json::Document document = json::parse_literal(
        R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"c","namespace":"n"}})");
    const Edit object(document);
    for (const json::Member& member : parsed.root().members()) {
      if (member.key != "metadata") {
        object.copy(member.key, member.value);
        continue;
      }
      for (const json::Member& inner : member.value.members())
        object.object("metadata").copy(inner.key, inner.value);
    }
    return json::print(document.root());
  }

  json::Document decode(std::string_view text) const {
    Result<Decoded> decoded = decode_json(text, *kind_.type, FieldValidation::kStrict);
    EXPECT_TRUE(decoded) << text;
    return std::move(decoded->document);
  }

  void take(json::Document document) {
    live_ = std::move(document);
    Edit(live_).object("metadata").set("uid", "u");
    now_ += std::chrono::minutes(1);
  }

  void update(std::string_view manager, std::string_view text) {
    json::Document object = decode(with_kind(text));
    track_update(kind_, live_.root(), Edit(object), {.manager = manager, .now = now_});
    take(std::move(object));
  }

  Result<void> apply(std::string_view manager, std::string_view text, bool force = false) {
    const json::Document config = json::parse_literal(with_kind(text));
    json::Document merged = TRY(
        apply_fields(kind_, live_.root(), config.root(), {.manager = manager, .now = now_}, force));
    take(decode(json::print(merged.root())));
    return {};
  }

  std::string data() const {
    const View found = View(live_.root())["data"];
    return found.exists() ? json::print(*found.value()) : "";
  }

  // "a: Apply 3 {"f:data":{}}" for each: the minute of its time.
  std::string managers() const {
    json::Arena arena;
    const Result<ManagedEntries> entries =
        decode_managers(View(live_.root())["metadata"]["managedFields"].value(), arena);
    EXPECT_TRUE(entries);
    std::string text;
    for (const json::Value& entry : View(live_.root())["metadata"]["managedFields"].items()) {
      const View view(entry);
      text += std::string(view["manager"].text()) + " " + std::string(view["operation"].text()) +
              " " + std::string(view["time"].text("-----------------").substr(14, 2)) + " " +
              json::print(*view["fieldsV1"].value()) + "\n";
    }
    return text;
  }

  Time now_{std::chrono::seconds(1767225600)};
  ManagedKind kind_{.type = builtin_schema().find_kind("v1", "ConfigMap"),
                    .subresource = {},
                    .find_type = nullptr,
                    .convert = nullptr,
                    .reset_fields = nullptr,
                    .custom = false};
  json::Document live_ = empty_object(kind_);
};

TEST_F(FieldManagerTest, TracksWhoCreatedAndChangedWhat) {
  update("one", R"({"data":{"a":"1","b":"2"}})");
  EXPECT_EQ(managers(), "one Update 00 {\"f:data\":{\".\":{},\"f:a\":{},\"f:b\":{}}}\n");
  update("two", R"({"data":{"a":"1","b":"3","c":"4"}})");
  EXPECT_EQ(managers(),
            "one Update 00 {\"f:data\":{\".\":{},\"f:a\":{}}}\n"
            "two Update 01 {\"f:data\":{\"f:b\":{},\"f:c\":{}}}\n");
  // Nothing changed: nor do times.
  update("three", R"({"data":{"a":"1","b":"3","c":"4"}})");
  EXPECT_EQ(managers(),
            "one Update 00 {\"f:data\":{\".\":{},\"f:a\":{}}}\n"
            "two Update 01 {\"f:data\":{\"f:b\":{},\"f:c\":{}}}\n");
  update("two", "{}");
  EXPECT_EQ(managers(), "");
}

TEST_F(FieldManagerTest, RemovesWhatIsNoLongerApplied) {
  ASSERT_TRUE(apply("one", R"({"data":{"a":"1","b":"2"}})"));
  ASSERT_TRUE(apply("two", R"({"data":{"b":"2","c":"3"}})"));
  EXPECT_EQ(data(), R"({"a":"1","b":"2","c":"3"})");
  ASSERT_TRUE(apply("one", R"({"data":{"a":"9"}})"));
  EXPECT_EQ(data(), R"({"a":"9","b":"2","c":"3"})") << "two owns b, too";
  ASSERT_TRUE(apply("two", R"({"data":{"c":"3"}})"));
  EXPECT_EQ(data(), R"({"a":"9","c":"3"})");
  EXPECT_EQ(managers(),
            "one Apply 02 {\"f:data\":{\"f:a\":{}}}\n"
            "two Apply 03 {\"f:data\":{\"f:c\":{}}}\n");
  ASSERT_TRUE(apply("two", R"({"data":{"c":"3"}})"));
  EXPECT_TRUE(managers().find("two Apply 03") != std::string::npos) << managers();
}

TEST_F(FieldManagerTest, ConflictsNameFieldsAndOwners) {
  update("editor", R"({"data":{"a":"1","b":"2"}})");
  ASSERT_TRUE(apply("one", R"({"data":{"c":"3"}})"));
  const Result<void> refused = apply("two", R"({"data":{"a":"x","c":"y"}})");
  ASSERT_TRUE(refused.is(Reason::kConflict));
  EXPECT_EQ(refused.status().message(),
            "Apply failed with 2 conflicts: conflicts with \"editor\" using v1:\n- .data.a\n"
            "conflicts with \"one\":\n- .data.c");
  ASSERT_EQ(refused.status().details().causes.size(), 2U);
  EXPECT_EQ(refused.status().details().causes[0].reason, "FieldManagerConflict");
  EXPECT_EQ(refused.status().details().causes[0].message, "conflict with \"editor\" using v1");
  EXPECT_EQ(refused.status().details().causes[0].field, ".data.a");
  const Result<void> once = apply("two", R"({"data":{"a":"x"}})");
  ASSERT_FALSE(once);
  EXPECT_EQ(once.status().message(),
            "Apply failed with 1 conflict: conflict with \"editor\" using v1: .data.a");
  ASSERT_TRUE(apply("two", R"({"data":{"a":"x","c":"y"}})", true));
  EXPECT_EQ(data(), R"({"a":"x","b":"2","c":"y"})");
  EXPECT_EQ(managers(),
            "two Apply 02 {\"f:data\":{\"f:a\":{},\"f:c\":{}}}\n"
            "editor Update 00 {\"f:data\":{\".\":{},\"f:b\":{}}}\n");
}

TEST_F(FieldManagerTest, ResetsAndStartsAgainWithTheFirstApply) {
  update("one", R"({"data":{"a":"1"}})");
  update("one", R"({"metadata":{"managedFields":[]},"data":{"a":"1"}})");
  EXPECT_EQ(managers(), "");
  update("one", R"({"data":{"a":"2"}})");
  EXPECT_EQ(managers(), "") << "nothing is tracked before something is applied";
  EXPECT_TRUE(apply("two", R"({"data":{"a":"3"}})").is(Reason::kConflict));
  ASSERT_TRUE(apply("two", R"({"data":{"b":"3"}})"));
  EXPECT_EQ(managers(),
            "two Apply 03 {\"f:data\":{\"f:b\":{}}}\n"
            "before-first-apply Update 03 {\"f:data\":{\".\":{},\"f:a\":{}}}\n");
}

TEST_F(FieldManagerTest, KubectlTakesWhatClientSideApplyOwned) {
  const std::string annotated =
      R"({"metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":)"
      R"("{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"data\":{\"a\":\"1\",\"b\":\"2\"}}"}},)"
      R"("data":{"a":"1","b":"9"}})";
  update("kubectl-client-side-apply", annotated);
  EXPECT_TRUE(apply("other", R"({"data":{"a":"2"}})").is(Reason::kConflict));
  const Result<void> changed = apply("kubectl", R"({"data":{"a":"2","b":"2"}})");
  ASSERT_TRUE(changed.is(Reason::kConflict)) << "b is not what was applied";
  EXPECT_EQ(changed.status().message(),
            "Apply failed with 1 conflict: conflict with \"kubectl-client-side-apply\" using v1: "
            ".data.b");
  ASSERT_TRUE(apply("kubectl", R"({"data":{"a":"2"}})"));
  EXPECT_EQ(View(live_.root())["metadata"]["annotations"][kLastApplied].text(),
            "{\"apiVersion\":\"v1\",\"data\":{\"a\":\"2\"},\"kind\":\"ConfigMap\","
            "\"metadata\":{\"name\":\"c\",\"namespace\":\"n\"}}\n");
}

TEST_F(FieldManagerTest, RefusesOtherKindsAndFields) {
  const auto message = [&](std::string_view text) {
    const Result<void> refused = apply("m", text);
    EXPECT_FALSE(refused);
    return refused ? ""
                   : std::to_string(refused.status().code()) + " " + refused.status().message();
  };
  EXPECT_EQ(message(R"({"kind":"Secret"})"), "400 invalid object type: /v1, Kind=Secret");
  EXPECT_EQ(message(R"({"apiVersion":"apps/v1"})"),
            "400 invalid object type: apps/v1, Kind=ConfigMap");
  EXPECT_EQ(message(R"({"metadata":{"managedFields":[]}})"),
            "400 metadata.managedFields must be nil");
  EXPECT_EQ(message(R"({"other":1})"),
            "500 failed to create typed patch object (n/c; /v1, Kind=ConfigMap): .other: field not "
            "declared in schema");
  EXPECT_EQ(message(R"({"metadata":{"finalizers":["a","a"]}})"),
            "500 failed to create typed patch object (n/c; /v1, Kind=ConfigMap): "
            ".metadata.finalizers: duplicate entries for key [=\"a\"]");
}

TEST_F(FieldManagerTest, NobodyOwnsResetFields) {
  json::Arena arena;
  FieldSetMaker make(arena);
  const std::array path = {Element::field("data")};
  const FieldSet reset = make.single(path);
  kind_.reset_fields = [&](std::string_view) { return reset; };
  update("one", R"({"metadata":{"labels":{"a":"b"}},"data":{"a":"1"}})");
  EXPECT_EQ(managers(), "one Update 00 {\"f:metadata\":{\"f:labels\":{\".\":{},\"f:a\":{}}}}\n");
  ASSERT_TRUE(apply("two", R"({"metadata":{"labels":{"c":"d"}},"data":{"x":"1"}})"));
  EXPECT_EQ(managers(),
            "two Apply 01 {\"f:metadata\":{\"f:labels\":{\"f:c\":{}}}}\n"
            "one Update 00 {\"f:metadata\":{\"f:labels\":{\".\":{},\"f:a\":{}}}}\n");
}

// As upstream: an object that is not of its schema has no managers, until it is again.
TEST(FieldManager, ForgetsManagersOfCustomObjectsThatDoNotFitTheirSchema) {
  const Structures structures =
      Structures::parse(
          json::parse_literal(
              R"({"type":"object","properties":{"spec":{"type":"object","properties":{"a":{"type":"string"}}}}})")
              .root())
          .value();
  Type type;
  type.name = "Thing";
  type.group_version = "example.com/v1";
  const ManagedKind kind{.type = {&type, &structures.root()},
                         .subresource = {},
                         .find_type = nullptr,
                         .convert = nullptr,
                         .reset_fields = nullptr,
                         .custom = true};
  const auto object = [](std::string_view value) {
    return json::parse_literal(
        R"({"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"x","uid":"u"},"spec":{"a":)" +
        std::string(value) + "}}");
  };
  const FieldWriter writer{.manager = "m", .now = Time(std::chrono::seconds(1767225600))};
  json::Document fits = object("\"1\"");
  const json::Document nothing = empty_object(kind);
  track_update(kind, nothing.root(), Edit(fits), writer);
  EXPECT_EQ(
      json::print(*View(fits.root())["metadata"]["managedFields"].item(0)["fieldsV1"].value()),
      R"({"f:spec":{".":{},"f:a":{}}})");
  json::Document misfit = object("1");
  track_update(kind, fits.root(), Edit(misfit), writer);
  EXPECT_FALSE(View(misfit.root())["metadata"]["managedFields"].exists());

  const json::Document config = object("\"2\"");
  const auto applied = apply_fields(kind, misfit.root(), config.root(), writer, true);
  ASSERT_FALSE(applied);
  EXPECT_EQ(applied.status().message(),
            "failed to create manager for existing fields: failed to convert new object (/x; "
            "example.com/v1, Kind=Thing) to smd typed: .spec.a: expected string, got "
            "&value.valueUnstructured{Value:1}");
  EXPECT_TRUE(apply_fields(kind, fits.root(), config.root(), writer, true));
}

// Version v2 of Things has the same fields; converting drops what is empty.
class TwoVersionsTest : public testing::Test {
 protected:
  TwoVersionsTest() {
    types_[0].name = types_[1].name = "Thing";
    types_[0].group_version = "example.com/v1";
    types_[1].group_version = "example.com/v2";
  }

  ManagedKind kind(size_t version) const {
    const auto find = [this](std::string_view api_version) {
      const bool first = api_version == types_[0].group_version;
      return VersionedType(&types_[first ? 0 : 1], &structures_.root());
    };
    return {
        .type = find(types_[version].group_version),
        .subresource = {},
        .find_type = find,
        .convert = [](const json::Value& object, std::string_view to) -> Result<json::Document> {
          json::Arena arena;
          json::Value copy = object.copy(arena);
          json::Document made(std::move(arena), std::move(copy));
          Edit(made).set("apiVersion", to);
          if (View(made.root())["spec"]["map"].empty()) Edit(made).object("spec").remove("map");
          return made;
        },
        .reset_fields = nullptr,
        .custom = true};
  }

  json::Document object(size_t version, std::string_view spec) const {
    return json::parse_literal(R"({"apiVersion":")" + std::string(types_[version].group_version) +
                               R"(","kind":"Thing","metadata":{"name":"x","uid":"u"},"spec":)" +
                               std::string(spec) + "}");
  }

  FieldWriter writer(std::string_view manager, int minute) const {
    return {.manager = manager,
            .now = Time(std::chrono::seconds(1767225600)) + std::chrono::minutes(minute)};
  }

  const Structures structures_ =
      Structures::parse(json::parse_literal(
                            R"({"type":"object","properties":{"spec":{"type":"object","properties":{
                  "map":{"type":"object","additionalProperties":{"type":"string"}},
                  "set":{"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set"},
                  "text":{"type":"string"}}}}})")
                            .root())
          .value();
  std::array<Type, 2> types_;
};

TEST_F(TwoVersionsTest, ForgetsManagersOfAnotherVersionThatDuplicatesCannotReach) {
  json::Document live = object(0, R"({"text":"a"})");
  const json::Document nothing = empty_object(kind(0));
  track_update(kind(0), nothing.root(), Edit(live), writer("one", 0));
  json::Document twice = object(1, R"({"text":"a","set":["x","x"]})");
  json::Document before = live.copy();
  Edit(before).set("apiVersion", "example.com/v2");
  track_update(kind(1), before.root(), Edit(twice), writer("two", 1));
  EXPECT_FALSE(View(twice.root())["metadata"]["managedFields"].exists());

  // In the version of the request they may be there.
  json::Document same = object(0, R"({"text":"a","set":["x","x"]})");
  track_update(kind(0), live.root(), Edit(same), writer("two", 1));
  EXPECT_EQ(View(same.root())["metadata"]["managedFields"].size(), 2U);

  const json::Document config = object(1, R"({"text":"b"})");
  Edit(same).set("apiVersion", "example.com/v2");
  const auto applied = apply_fields(kind(1), same.root(), config.root(), writer("three", 2), true);
  ASSERT_FALSE(applied);
  EXPECT_EQ(applied.status().message(),
            "failed to convert old object: .spec.set: duplicate entries for key [=\"x\"]");
}

TEST_F(TwoVersionsTest, PrunesWhatAnotherVersionLoses) {
  json::Document live = object(0, R"({"text":"a"})");
  const json::Document nothing = empty_object(kind(0));
  track_update(kind(0), nothing.root(), Edit(live), writer("one", 0));
  Edit(live).set("apiVersion", "example.com/v2");
  const json::Document config = object(1, R"({"map":{}})");
  json::Document stored =
      apply_fields(kind(1), live.root(), config.root(), writer("m", 1), false).value();
  EXPECT_TRUE(View(stored.root())["spec"]["map"].exists());
  Edit(stored).object("spec").remove("map");
  const json::Document again =
      apply_fields(kind(1), stored.root(), config.root(), writer("m", 2), false).value();
  EXPECT_EQ(json::print(again.root()), json::print(stored.root()));
}

}  // namespace
}  // namespace proa::api
