#pragma once

#include <gtest/gtest.h>

#include "api/codec/protobuf/from_protobuf.h"
#include "api/codec/protobuf/to_protobuf.h"
#include "api/object/edit.h"
#include "api/schema/builtin.h"
#include "json/parse.h"
#include "json/print.h"
#include "kubelet/model/pod.h"

// What the tests of this folder share.

namespace proa::kubelet::config_test {

// The pod web in the namespace shop, with this spec and this more metadata (",...").
inline PodPtr make_pod(const std::string& spec, const std::string& metadata = {},
                       Pod::Source source = Pod::Source::kApi) {
  return *Pod::read(
      api::Object::make(R"({"metadata":{"name":"web","namespace":"shop","uid":"u-1")" + metadata +
                        R"(},"spec":)" + spec + "}"),
      source);
}

// A pod with one container, "app", that says this (",..."), in a spec that says that (",...").
inline PodPtr pod_of(const std::string& container, const std::string& spec = {}) {
  return make_pod(R"({"containers":[{"name":"app")" + container + "}]" + spec + "}");
}

// Whether nothing of it is lost on the wire: all its names are CRI's, of the right types.
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
