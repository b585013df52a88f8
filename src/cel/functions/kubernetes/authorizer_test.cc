#include "cel/functions/kubernetes/authorizer.h"

#include <gtest/gtest.h>

#include "cel/functions/libraries.h"
#include "cel/values/context.h"

namespace proa::cel {
namespace {

// Remembers what it was asked.
class Fake final : public Authorizer {
 public:
  AccessAnswer authorize(const AccessQuestion& question) const override {
    asked = question;
    return {.allowed = question.verb == "get", .reason = "because", .error = std::nullopt};
  }
  mutable AccessQuestion asked;
};

Value call(Arena& arena, std::string_view function, std::initializer_list<Value> args) {
  Context context(arena);
  for (const Overload* overload :
       kubernetes_declarations(36, Libraries::kBase)->function(function)->overloads) {
    if (overload->args[0]->name == type_of(*args.begin()).name) {
      return overload->implementation(context, std::span(args.begin(), args.size()));
    }
  }
  return no_such_overload();
}

TEST(Authorizer, IsAskedStepByStep) {
  Arena arena;
  const Fake fake;
  Value check = make_authorizer(arena, fake);
  check = call(arena, "serviceAccount", {check, Value::string("ns"), Value::string("robot")});
  check = call(arena, "group", {check, Value::string("apps")});
  check = call(arena, "resource", {check, Value::string("deployments")});
  check = call(arena, "namespace", {check, Value::string("default")});
  check = call(arena, "name", {check, Value::string("web")});
  check = call(arena, "labelSelector", {check, Value::string("a=b")});
  const Value decision = call(arena, "check", {check, Value::string("get")});
  EXPECT_TRUE(call(arena, "allowed", {decision}).is_true());
  EXPECT_EQ(call(arena, "reason", {decision}).text(), "because");
  EXPECT_TRUE(call(arena, "errored", {decision}).is_false());
  EXPECT_TRUE(fake.asked.is_service_account);
  EXPECT_EQ(fake.asked.account_name, "robot");
  EXPECT_EQ(fake.asked.group, "apps");
  EXPECT_EQ(fake.asked.resource, "deployments");
  EXPECT_EQ(fake.asked.name_space, "default");
  EXPECT_EQ(fake.asked.name, "web");
  EXPECT_EQ(fake.asked.label_selector, "a=b");
}

TEST(Authorizer, RefusesEmptyQuestions) {
  Arena arena;
  const Fake fake;
  const Value authorizer = make_authorizer(arena, fake);
  EXPECT_EQ(call(arena, "path", {authorizer, Value::string(" ")}).text(), "path must not be empty");
  EXPECT_EQ(
      call(arena, "serviceAccount", {authorizer, Value::string("ns"), Value::string("A B")}).text(),
      "Invalid service account name");
}

TEST(Authorizer, StartsWithTheRequest) {
  Arena arena;
  const Fake fake;
  const Value check =
      make_resource_check(arena, fake, {.group = "apps", .resource = "deployments"});
  EXPECT_TRUE(
      call(arena, "allowed", {call(arena, "check", {check, Value::string("delete")})}).is_false());
  EXPECT_TRUE(fake.asked.is_resource);
  EXPECT_EQ(fake.asked.resource, "deployments");
}

}  // namespace
}  // namespace proa::cel
