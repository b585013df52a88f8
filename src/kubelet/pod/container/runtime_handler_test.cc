#include "kubelet/pod/container/runtime_handler.h"

#include <gtest/gtest.h>

namespace proa::kubelet {
namespace {

class OneClass final : public ObjectSource {
 public:
  Result<api::ObjectPtr> get(std::string_view, std::string_view resource, std::string_view,
                             std::string_view name) override {
    if (resource != "runtimeclasses" || name != "own") return Status(Reason::kNotFound, "none");
    return api::Object::make(R"({"metadata":{"name":"own"},"handler":"sand"})");
  }
};

PodPtr pod(const std::string& spec, const std::string& mount) {
  return *Pod::read(
      api::Object::make(R"({"metadata":{"name":"a"},"spec":{)" + spec +
                        R"("containers":[{"name":"c","volumeMounts":[)" + mount + "]}]}}"),
      Pod::Source::kApi);
}

const std::string kAsks = R"({"name":"v","readOnly":true,"recursiveReadOnly":"IfPossible"})";

TEST(RuntimeHandler, IsNamedByTheClass) {
  OneClass objects;
  EXPECT_EQ(*runtime_handler_of(objects, *pod("", "")), "");
  EXPECT_EQ(*runtime_handler_of(objects, *pod(R"("runtimeClassName":"own",)", "")), "sand");
  EXPECT_FALSE(runtime_handler_of(objects, *pod(R"("runtimeClassName":"other",)", "")).ok());
}

TEST(MountsRecursively, WhereTheHandlerOfThePodCan) {
  OneClass objects;
  std::string able = "sand";
  const auto can = [&able](const std::string& handler) { return handler == able; };
  EXPECT_TRUE(mounts_recursively(objects, can, *pod(R"("runtimeClassName":"own",)", kAsks)));
  EXPECT_FALSE(mounts_recursively(objects, can, *pod(R"("runtimeClassName":"own",)", "")));
  EXPECT_FALSE(mounts_recursively(objects, can, *pod(R"("runtimeClassName":"other",)", kAsks)));
  EXPECT_FALSE(mounts_recursively(objects, can, *pod("", kAsks)));
  able = "";
  EXPECT_TRUE(mounts_recursively(objects, can, *pod("", kAsks)));
}

}  // namespace
}  // namespace proa::kubelet
