#include "custom/definition/converted_objects.h"

#include <gtest/gtest.h>

namespace proa::custom {
namespace {

api::ObjectPtr object_of_size(size_t size) { return api::Object::make(std::string(size, ' ')); }

constexpr Steady kNow{std::chrono::hours(1)};

TEST(ConvertedObjects, AreFoundByTextAndVersion) {
  ConvertedObjects objects;
  const std::string key = ConvertedObjects::key_of("{}", "v2");
  EXPECT_EQ(objects.find(key, kNow), nullptr);
  const api::ObjectPtr converted = object_of_size(10);
  objects.keep(key, converted, kNow);
  EXPECT_EQ(objects.find(key, kNow), converted);
  EXPECT_EQ(objects.find(ConvertedObjects::key_of("{}", "v1"), kNow), nullptr);
  EXPECT_EQ(objects.find(ConvertedObjects::key_of("{ }", "v2"), kNow), nullptr);
}

// Others may have asked at once, and their answers arrive in any order.
TEST(ConvertedObjects, AreForgottenSoon) {
  ConvertedObjects objects;
  const Steady later = kNow + ConvertedObjects::kMostAge;
  objects.keep("new", object_of_size(10), later);
  objects.keep("old", object_of_size(10), kNow);
  EXPECT_NE(objects.find("old", later), nullptr);
  EXPECT_EQ(objects.find("old", later + std::chrono::milliseconds(1)), nullptr);
  EXPECT_NE(objects.find("new", later + std::chrono::milliseconds(1)), nullptr);
  const api::ObjectPtr again = object_of_size(10);
  objects.keep("new", again, later + std::chrono::milliseconds(1));
  EXPECT_EQ(objects.find("new", later + ConvertedObjects::kMostAge), again);
}

TEST(ConvertedObjects, DropsTheOldest) {
  ConvertedObjects objects;
  const size_t size = ConvertedObjects::kMostBytes / 8;
  for (int i = 0; i < 10; ++i) objects.keep(std::to_string(i), object_of_size(size), kNow);
  EXPECT_EQ(objects.find("0", kNow), nullptr);
  EXPECT_EQ(objects.find("1", kNow), nullptr);
  EXPECT_NE(objects.find("9", kNow), nullptr);
  // One that would fill it alone.
  objects.keep("large", object_of_size(ConvertedObjects::kMostBytes), kNow);
  EXPECT_EQ(objects.find("large", kNow), nullptr);
  EXPECT_NE(objects.find("9", kNow), nullptr);
}

}  // namespace
}  // namespace proa::custom
