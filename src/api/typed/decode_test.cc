#include "api/typed/decode.h"

#include <gtest/gtest.h>

using namespace std::chrono_literals;

namespace proa::api {
namespace decode_test {

struct Condition {
  std::string_view type;
  bool holds_message = false;
  std::string message;

  static const FieldTable& table() {
    static constexpr FieldEntry kEntries[] = {
        entry<&Condition::type>("type"),
        entry<&Condition::message>("message"),
    };
    static constexpr FieldTable kTable{.types = "v1/PodCondition", .entries = kEntries};
    return kTable;
  }
};

struct Annotations {
  std::string_view cost;
  std::optional<std::string> note;

  static const FieldTable& table() {
    static constexpr FieldEntry kEntries[] = {
        entry<&Annotations::cost>("example.com/cost"),
        entry<&Annotations::note>("note"),
    };
    static constexpr FieldTable kTable{.types = FieldTable::kMap, .entries = kEntries};
    return kTable;
  }
};

struct Everything {
  bool flag = false;
  int64_t number = 7;
  std::optional<int64_t> maybe;
  double ratio = 0;
  std::string text;
  std::string_view view;
  Time time{};
  std::optional<Time> late;
  Duration duration{};
  Quantity quantity;
  IntOrString share;
  std::optional<IntOrString> surge;
  LabelSelector selector = LabelSelector::nothing();
  MapSelector map_selector;
  RawJson raw;
  Presence presence;
  Uid uid;
  NodeName node;
  std::optional<Annotations> annotations;
  std::vector<std::string> names;
  std::vector<Condition> conditions;
  std::map<std::string, Quantity, std::less<>> amounts;

  static const FieldTable& table() {
    static constexpr FieldEntry kEntries[] = {
        entry<&Everything::flag>("flag"),
        entry<&Everything::number>("number"),
        entry<&Everything::maybe>("maybe"),
        entry<&Everything::ratio>("ratio"),
        entry<&Everything::text>("text"),
        entry<&Everything::view>("view"),
        entry<&Everything::time>("time"),
        entry<&Everything::late>("late"),
        entry<&Everything::duration>("duration"),
        entry<&Everything::quantity>("quantity"),
        entry<&Everything::share>("share"),
        entry<&Everything::surge>("surge"),
        entry<&Everything::selector>("selector"),
        entry<&Everything::map_selector>("mapSelector"),
        entry<&Everything::raw>("raw"),
        entry<&Everything::presence>("presence"),
        entry<&Everything::uid>("uid"),
        entry<&Everything::node>("node"),
        entry<&Everything::annotations>("annotations"),
        entry<&Everything::names>("names"),
        entry<&Everything::conditions>("conditions"),
        entry<&Everything::amounts>("amounts"),
    };
    static constexpr FieldTable kTable{.types = "v1/Everything", .entries = kEntries};
    return kTable;
  }
};

constexpr std::string_view kWhole =
    R"({"unknown":{"flag":false,"x":[1,{"y":"}"}]},"flag":true,"number":3,"maybe":0,"ratio":1.5,)"
    R"("text":"a \"b\" \u003c","view":"Running","time":"2026-01-02T03:04:05Z",)"
    R"("late":"2026-01-02T03:04:06Z","duration":"1m30s","quantity":"500m","share":"25%","surge":3,)"
    R"("selector":{"matchLabels":{"a":"b"}},"mapSelector":{"c":"d"},"raw":{"deep":[1,2]},)"
    R"("presence":{},"uid":"u-1","node":"n1","annotations":{"example.com/cost":"5","other":"x"},)"
    R"("names":["x","y"],"conditions":[{"type":"Ready","message":"m"},{"type":"B"}],)"
    R"("amounts":{"cpu":"2","memory":"1Gi"},"also":"unknown"})";

std::string failure_of(std::string_view json) {
  const Result<Everything> read = decode<Everything>(json);
  return read ? "" : std::string(read.status().message());
}

}  // namespace decode_test
using namespace decode_test;

TEST(Decode, ReadsEveryKindOfMember) {
  const ObjectPtr object = Object::make(std::string(kWhole));
  const Result<Everything> read = decode<Everything>(*object);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_TRUE(read->flag);
  EXPECT_EQ(read->number, 3);
  EXPECT_EQ(read->maybe, 0);
  EXPECT_EQ(read->ratio, 1.5);
  EXPECT_EQ(read->text, "a \"b\" <");
  EXPECT_EQ(read->view, "Running");
  EXPECT_EQ(format_time(read->time), "2026-01-02T03:04:05Z");
  ASSERT_TRUE(read->late);
  EXPECT_EQ(*read->late - read->time, 1s);
  EXPECT_EQ(read->duration, 90s);
  EXPECT_EQ(read->quantity.milli_value(), 500);
  EXPECT_EQ(read->share.text(), "25%");
  ASSERT_TRUE(read->surge);
  EXPECT_EQ(read->surge->number(), 3);
  EXPECT_EQ(read->selector.str(), "a=b");
  EXPECT_EQ(read->map_selector.selector.str(), "c=d");
  EXPECT_EQ(read->raw.text, R"({"deep":[1,2]})");
  EXPECT_TRUE(read->presence);
  EXPECT_EQ(read->uid, Uid("u-1"));
  EXPECT_EQ(read->node, "n1");
  ASSERT_TRUE(read->annotations);
  EXPECT_EQ(read->annotations->cost, "5");
  EXPECT_FALSE(read->annotations->note);
  EXPECT_EQ(read->names, (std::vector<std::string>{"x", "y"}));
  ASSERT_EQ(read->conditions.size(), 2U);
  EXPECT_EQ(read->conditions[0].type, "Ready");
  EXPECT_EQ(read->conditions[0].message, "m");
  EXPECT_EQ(read->amounts.at("memory").value(), int64_t{1} << 30);
  // Views lie in the object.
  EXPECT_GE(read->view.data(), object->json().data());
  EXPECT_LT(read->view.data(), object->json().data() + object->json().size());
}

TEST(Decode, KeepsInitialValuesOfWhatIsAbsentOrNull) {
  for (const std::string_view json :
       {R"({})", R"({"number":null,"maybe":null,"text":null,"annotations":null,"names":null})"}) {
    SCOPED_TRACE(json);
    const Result<Everything> read = decode<Everything>(json);
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(read->number, 7);
    EXPECT_FALSE(read->maybe);
    EXPECT_FALSE(read->annotations);
    EXPECT_TRUE(read->selector.matches_nothing());
    EXPECT_TRUE(read->map_selector.selector.matches_everything());
    EXPECT_FALSE(read->presence);
  }
}

TEST(Decode, ReadsFieldsInAnyOrderAndTheLastOfEqualOnes) {
  const auto read = decode<Everything>(
      R"({ "uid" : "u" , "number" : 1, "names":["a"], "annotations":{"note":"x"},
           "names":["b"], "number" : 2, "annotations":{}, "n\u006fde":"n2" })");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->number, 2);
  EXPECT_EQ(read->names, std::vector<std::string>{"b"});
  EXPECT_FALSE(read->annotations->note);
  EXPECT_EQ(read->node, "n2");
}

TEST(Decode, NamesTheFieldThatDoesNotFit) {
  EXPECT_EQ(failure_of(R"({"number":"3"})"), "number: expected an integer");
  EXPECT_EQ(failure_of(R"({"number":3.5})"), "number: expected an integer");
  EXPECT_EQ(failure_of(R"({"number":99999999999999999999})"), "number: expected an integer");
  EXPECT_EQ(failure_of(R"({"flag":"true"})"), "flag: expected true or false");
  EXPECT_EQ(failure_of(R"({"text":{}})"), "text: expected a string");
  EXPECT_EQ(failure_of(R"({"text":"\x"})"), "text: expected a string without malformed escapes");
  EXPECT_EQ(failure_of(R"({"share":{}})"), "share: expected an integer or a string");
  EXPECT_EQ(failure_of(R"({"quantity":"much"})"), "quantity: expected a quantity");
  EXPECT_EQ(failure_of(R"({"names":{}})"), "names: expected a list");
  EXPECT_EQ(failure_of(R"({"amounts":[]})"), "amounts: expected a map");
  EXPECT_EQ(failure_of(R"({"conditions":[{"type":1}]})"), "conditions.type: expected a string");
  EXPECT_EQ(failure_of(R"([])"), "expected an object");
  EXPECT_EQ(failure_of(R"({"number":1)"), "malformed JSON at offset 11");
}

TEST(Decode, LeavesEscapesInViews) {
  const std::string_view json = R"({"view":"a\tb\""})";
  const auto read = decode<Everything>(json);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->view, R"(a\tb\")");
}

TEST(Decode, ReadsATimeBeyondTheClockAsNotSet) {
  const auto read = decode<Everything>(R"({"time":"9999-01-01T00:00:00Z","late":"soon"})");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->time, Time{});
  EXPECT_FALSE(read->late);
}

TEST(Decode, TakesASelectorThatIsNotValidForNothing) {
  const auto read = decode<Everything>(
      R"({"selector":{"matchExpressions":[{"key":"a","operator":"Sometimes"}]}})");
  ASSERT_TRUE(read.ok());
  EXPECT_TRUE(read->selector.matches_nothing());
}

TEST(Decode, ReadsAListThatWasKeptAsText) {
  const auto read = decode_list<Condition>(R"([{"type":"a"},null,{"type":"b"}])");
  ASSERT_TRUE(read.ok());
  ASSERT_EQ(read->size(), 3u);
  EXPECT_EQ((*read)[2].type, "b");
  EXPECT_EQ(decode_list<Condition>(R"({})").status().message(), "expected a list");
}

// Each cut and each changed byte of a text: it is read or refused, and nothing else happens.
TEST(Decode, SurvivesAnyText) {
  for (size_t cut = 0; cut < kWhole.size(); ++cut) {
    EXPECT_FALSE(decode<Everything>(std::string(kWhole.substr(0, cut))).ok()) << cut;
  }
  for (size_t at = 0; at < kWhole.size(); ++at) {
    for (const char c : {'"', '{', '}', '[', ']', ',', '\\', '\0', '9'}) {
      std::string text(kWhole);
      text[at] = c;
      const Result<Everything> read = decode<Everything>(text);
      if (!read) {
        EXPECT_FALSE(read.status().message().empty());
      }
    }
  }
}

}  // namespace proa::api
