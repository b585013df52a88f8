#include "api/validation/field_errors.h"

#include <gtest/gtest.h>

#include <functional>

#include "json/parse.h"

namespace proa::api {

TEST(Path, IsWrittenAsUpstreamDoes) {
  const Path root;
  EXPECT_EQ(root.str(), "<nil>");
  const Path spec = root.field("spec");
  EXPECT_EQ(spec.str(), "spec");
  const Path metadata("metadata");
  const Path annotations = metadata.field("annotations");
  EXPECT_EQ(annotations.key("a.b/c").str(), "metadata.annotations[a.b/c]");
  const Path containers = spec.field("template.spec.containers");
  const Path first = containers.index(0);
  EXPECT_EQ(first.field("name").str(), "spec.template.spec.containers[0].name");
  EXPECT_EQ(root.index(3).str(), "[3]");
}

TEST(FieldErrors, SayWhatUpstreamSays) {
  const Path path("f");
  const struct {
    std::string_view reason, message;
    std::function<void(FieldErrors&)> add;
  } cases[] = {
      {"FieldValueRequired", "Required value", [&](FieldErrors& e) { e.required(path); }},
      {"FieldValueRequired", "Required value: d", [&](FieldErrors& e) { e.required(path, "d"); }},
      {"FieldValueInvalid", "Invalid value: \"a\\\"b\": d",
       [&](FieldErrors& e) { e.invalid(path, "a\"b", "d"); }},
      {"FieldValueInvalid", "Invalid value: -1: d",
       [&](FieldErrors& e) { e.invalid(path, int64_t{-1}, "d"); }},
      {"FieldValueInvalid", "Invalid value: null: d",
       [&](FieldErrors& e) { e.invalid(path, View(), "d"); }},
      {"FieldValueNotSupported", R"(Unsupported value: "x": supported values: "a", "b")",
       [&](FieldErrors& e) {
         e.not_supported(path, "x", {"a", "b"});
       }},
      {"FieldValueNotSupported", R"(Unsupported value: "x")",
       [&](FieldErrors& e) { e.not_supported(path, "x", {}); }},
      {"FieldValueForbidden", "Forbidden: d", [&](FieldErrors& e) { e.forbidden(path, "d"); }},
      {"FieldValueDuplicate", R"(Duplicate value: "x")",
       [&](FieldErrors& e) { e.duplicate(path, "x"); }},
      {"FieldValueNotFound", R"(Not found: "x")", [&](FieldErrors& e) { e.not_found(path, "x"); }},
      {"FieldValueTooLong", "Too long: may not be more than 10 bytes",
       [&](FieldErrors& e) { e.too_long(path, 10); }},
      {"FieldValueTooLong", "Too long: may not be more than 1 byte",
       [&](FieldErrors& e) { e.too_long(path, 1); }},
      {"FieldValueTooMany", "Too many: 3: must have at most 2 items",
       [&](FieldErrors& e) { e.too_many(path, 3, 2); }},
      {"FieldValueTooFew", "Too few: 0: must have at least 1 item",
       [&](FieldErrors& e) { e.too_few(path, 0, 1); }},
  };
  for (const auto& c : cases) {
    FieldErrors errors;
    c.add(errors);
    ASSERT_EQ(errors.size(), 1U) << c.message;
    EXPECT_EQ(errors.causes()[0],
              (StatusCause{std::string(c.reason), std::string(c.message), "f"}));
  }
}

TEST(FieldErrors, PrintValuesAsTheyStandInJson) {
  const struct {
    std::string_view json, expected;
  } cases[] = {
      {R"("<a>\u0001")", R"(f: Invalid value: "<a>\x01": d)"},
      {"12", "f: Invalid value: 12: d"},
      {"true", "f: Invalid value: true: d"},
      {R"({"a":["<"]})", "f: Invalid value: {\"a\":[\"\\u003c\"]}: d"},
      {"null", "f: Invalid value: null: d"},
  };
  for (const auto& c : cases) {
    const auto document = json::parse(c.json);
    ASSERT_TRUE(document.ok());
    FieldErrors errors;
    errors.invalid(Path("f"), document->root(), "d");
    errors.duplicate(Path("f"), document->root());
    EXPECT_EQ(errors.texts()[0], c.expected);
    EXPECT_TRUE(errors.texts()[1].starts_with("f: Duplicate value: "));
  }
}

TEST(FieldErrors, BecomeAStatus) {
  FieldErrors errors;
  errors.required(Path("spec.x"));
  EXPECT_EQ(errors.to_status("apps", "Deployment", "web").message(),
            R"(Deployment.apps "web" is invalid: spec.x: Required value)");

  errors.required(Path("spec.x"));
  errors.forbidden(Path("spec.y"), "no");
  const Status status = errors.to_status("", "Pod", "a");
  EXPECT_EQ(status.message(),
            R"(Pod "a" is invalid: [spec.x: Required value, spec.y: Forbidden: no])");
  EXPECT_EQ(status.code(), 422);
  EXPECT_EQ(status.reason(), Reason::kInvalid);
  EXPECT_EQ(status.details().name, "a");
  EXPECT_EQ(status.details().kind, "Pod");
  EXPECT_EQ(status.details().group, "");
  EXPECT_EQ(status.details().causes.size(), 3U);
  EXPECT_EQ(FieldErrors().to_status("", "Pod", "").message(), R"(Pod "" is invalid)");
}

namespace field_errors_test {

size_t bytes_of(const Status& status) {
  size_t bytes = status.message().size() + status.details().name.size();
  for (const StatusCause& cause : status.details().causes)
    bytes += cause.reason.size() + cause.message.size() + cause.field.size();
  return bytes;
}

}  // namespace field_errors_test

TEST(FieldErrors, EndWithTheNumberOfThoseBeyondTheLimit) {
  FieldErrors errors;
  const Path list("list");
  for (size_t i = 0; i < FieldErrors::kMaxCauses; ++i) errors.required(list.index(i));
  EXPECT_TRUE(errors.full());
  EXPECT_EQ(errors.to_status("", "Pod", "a").details().causes.size(), FieldErrors::kMaxCauses);
  for (size_t i = 0; i < 7; ++i) errors.forbidden(list, "no");
  errors.count(3);
  EXPECT_EQ(errors.size(), FieldErrors::kMaxCauses + 10);
  EXPECT_EQ(errors.causes().size(), FieldErrors::kMaxCauses);
  EXPECT_EQ(errors.texts().back(), "and 10 more");
  const Status status = errors.to_status("", "Pod", "a");
  EXPECT_TRUE(status.message().ends_with("list[999]: Required value, and 10 more]"));
  EXPECT_EQ(status.details().causes.back(), (StatusCause{"", "and 10 more", ""}));
}

TEST(FieldErrors, AreBoundedInBytes) {
  const std::string long_text(3'000'000, 'x');
  const Path path("spec");
  const Path long_path = path.key(long_text);
  const json::Value value = json::Value::borrowed(long_text);
  const std::function<void(FieldErrors&)> cases[] = {
      [&](FieldErrors& e) { e.invalid(path, long_text, "d"); },
      [&](FieldErrors& e) { e.invalid(path, View(value), "d"); },
      [&](FieldErrors& e) { e.duplicate(path, long_text); },
      [&](FieldErrors& e) { e.duplicate(path, View(value)); },
      [&](FieldErrors& e) { e.not_found(path, long_text); },
      [&](FieldErrors& e) { e.not_supported(path, long_text, {"a"}); },
      [&](FieldErrors& e) { e.required(long_path, "d"); },
      [&](FieldErrors& e) { e.forbidden(path, long_text); },
      [&](FieldErrors& e) { e.invalid_whole(path, long_text); },
      [&](FieldErrors& e) { e.too_long(long_path, 1); },
      [&](FieldErrors& e) { e.too_many(long_path, 2, 1); },
      [&](FieldErrors& e) { e.too_few(long_path, 0, 1); },
  };
  for (const auto& add : cases) {
    FieldErrors errors;
    for (int i = 0; i < 100'000; ++i) add(errors);
    EXPECT_EQ(errors.size(), 100'000U);
    EXPECT_LE(errors.causes().size(), 5U);
    EXPECT_LE(field_errors_test::bytes_of(errors.to_status("", "Pod", long_text)),
              2 * FieldErrors::kMaxBytes + 20'000);
  }
}

TEST(FieldErrors, CutALongValueButNotWhatIsWrongWithIt) {
  FieldErrors errors;
  // The limit lies within a character.
  std::string value;
  while (value.size() < FieldErrors::kMaxValueBytes + 10) value += "\xC3\xA9";
  errors.invalid(Path("f"), value, "is too much");
  const std::string& message = errors.causes()[0].message;
  EXPECT_TRUE(message.ends_with("\xC3\xA9... (65548 bytes): is too much"))
      << message.substr(65'000);
  EXPECT_FALSE(errors.full());
}

}  // namespace proa::api
