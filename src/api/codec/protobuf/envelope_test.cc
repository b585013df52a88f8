#include "api/codec/protobuf/envelope.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "api/codec/json/decode.h"
#include "api/schema/builtin.h"
#include "base/encoding.h"
#include "base/strings.h"
#include "json/parse.h"
#include "json/print.h"
#include "testkit/golden.h"

namespace proa::api {
namespace {

std::string wrapped_hex(std::string_view bytes) {
  const std::string hex = to_hex(bytes);
  std::string lines;
  for (size_t i = 0; i < hex.size(); i += 96) lines += hex.substr(i, 96) + '\n';
  return lines;
}

// An object in JSON; its protobuf in hex comes out, and must come back as what went in.
std::string encode(std::string_view text) {
  const json::Document object = *json::parse(text);
  const Type* type = builtin_schema().find_kind(object.root().find("apiVersion")->as_string(),
                                                object.root().find("kind")->as_string());
  const auto read = decode_json(text, *type, FieldValidation::kStrict);
  if (!read.ok()) return read.status().message();
  const auto bytes = to_enveloped(read->document.root(), *type);
  if (!bytes.ok()) return bytes.status().message();
  const auto back = from_enveloped(*bytes, builtin_schema());
  if (!back.ok()) return back.status().message();
  EXPECT_EQ(json::print(back->root()), json::print(read->document.root()));
  return wrapped_hex(*bytes);
}

TEST(Envelope, HoldsTheMainKinds) {
  testkit::run_golden(std::filesystem::path(__FILE__).parent_path() / "testdata/objects.txt",
                      encode);
}

TEST(Envelope, SaysWhatIsWrong) {
  const auto message = [](std::string_view bytes) {
    const auto result = from_enveloped(bytes, builtin_schema());
    return result.ok() ? "fine" : result.status().message();
  };
  EXPECT_EQ(message(""), "empty data");
  EXPECT_EQ(
      message("{}"),
      "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
  EXPECT_EQ(message(std::string_view("k8s\0", 4)), "empty body");
  EXPECT_EQ(message(std::string_view("k8s\0\x0a\x05", 6)), "unexpected EOF");
  EXPECT_EQ(message(std::string_view("k8s\0\x12\x00", 6)),
            "no kind \"\" is registered for version \"\" in scheme \"pkg/runtime/scheme.go:111\"");
  EXPECT_EQ(
      message(std::string_view("k8s\0\x0a\x09\x0a\x02v1\x12\x03Odd", 15)),
      "no kind \"Odd\" is registered for version \"v1\" in scheme \"pkg/runtime/scheme.go:111\"");
}

TEST(Envelope, LeavesOutWhatHasNoProtobuf) {
  const Type* table = builtin_schema().find_kind("meta.k8s.io/v1", "Table");
  ASSERT_NE(table, nullptr);
  EXPECT_TRUE(to_enveloped(json::Value::object(), *table).is(Reason::kNotAcceptable));
}

TEST(WatchFrame, ComesOutAsItWentIn) {
  const std::string one = make_watch_frame({"ADDED", "first"});
  const std::string two = make_watch_frame({"DELETED", ""});
  EXPECT_EQ(to_hex(one),
            "00000010"
            "0a054144444544"
            "1207"
            "0a056669727374");
  const std::string both = one + two;
  std::string_view stream = both;
  auto frame = take_watch_frame(stream, 1000);
  ASSERT_TRUE(frame.ok() && frame->has_value());
  EXPECT_EQ((*frame)->type, "ADDED");
  EXPECT_EQ((*frame)->object, "first");
  frame = take_watch_frame(stream, 1000);
  ASSERT_TRUE(frame.ok() && frame->has_value());
  EXPECT_EQ((*frame)->type, "DELETED");
  EXPECT_TRUE(stream.empty());
}

TEST(WatchFrame, WaitsForTheRestAndRefusesTooMuch) {
  const std::string whole = make_watch_frame({"ADDED", "first"});
  for (size_t length = 0; length < whole.size(); ++length) {
    std::string_view part(whole.data(), length);
    const auto frame = take_watch_frame(part, 1000);
    ASSERT_TRUE(frame.ok());
    EXPECT_FALSE(frame->has_value());
  }
  std::string_view stream = whole;
  EXPECT_TRUE(take_watch_frame(stream, 10).is(Reason::kRequestEntityTooLarge));
  EXPECT_EQ(stream.size(), whole.size());
}

}  // namespace
}  // namespace proa::api
