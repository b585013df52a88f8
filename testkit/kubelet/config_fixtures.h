#pragma once

#include <gtest/gtest.h>

#include "api/codec/protobuf/from_protobuf.h"
#include "api/codec/protobuf/to_protobuf.h"
#include "api/object/edit.h"
#include "api/schema/builtin.h"
#include "json/parse.h"
#include "json/print.h"
#include "kubelet/model/pod.h"

// Shared by the tests of this folder.

namespace proa::kubelet::config_test {

// The pod web in the namespace shop, with this spec and additional metadata (",...").
inline PodPtr make_pod(const std::string& spec, const std::string& metadata = {},
                       Pod::Source source = Pod::Source::kApi) {
  return *Pod::read(
      api::Object::make(R"({"metadata":{"name":"web","namespace":"shop","uid":"u-1")" + metadata +
                        R"(},"spec":)" + spec + "}"),
      source);
}

// A pod with one container, "app", with additional fields (",...") of the container and of the
// spec.
inline PodPtr pod_of(const std::string& container, const std::string& spec = {}) {
  return make_pod(R"({"containers":[{"name":"app")" + container + "}]" + spec + "}");
}

// Checks that the document encodes without loss: all its fields are CRI's, of the right types.
inline void expect_is_message(const json::Value& document, const std::string& type_name) {
  const api::Schema& schema = api::cri_schema();
  const api::Type* type = schema.find_openapi("runtime.v1." + type_name);
  ASSERT_NE(type, nullptr);
  const auto bytes = api::to_protobuf(document, *type);
  ASSERT_TRUE(bytes.ok()) << bytes.status().message();
  const auto read = api::from_protobuf(*bytes, *type, schema);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_TRUE(read->root() == document) << json::print(read->root()) << "\n"
                                        << json::print(document);
}

inline void expect_json(api::View view, const std::string& expected) {
  const auto parsed = json::parse(expected);
  ASSERT_TRUE(parsed.ok()) << expected;
  EXPECT_TRUE(view == api::View(parsed->root()))
      << (view.value() == nullptr ? "absent" : json::print(*view.value())) << "\n"
      << expected;
}

}  // namespace proa::kubelet::config_test
