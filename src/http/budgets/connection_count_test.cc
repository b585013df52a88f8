#include "http/budgets/connection_count.h"

#include <gtest/gtest.h>

#include <vector>

namespace proa::http {
namespace connection_count_test {

using Crowd = ConnectionCount::Crowd;

TEST(ConnectionCount, SaysWhatIsCrowded) {
  const auto count = std::make_shared<ConnectionCount>(3, 2);
  std::vector<std::shared_ptr<ConnectionCount::Place>> places;
  const auto add = [&](const char* address) {
    ConnectionCount::Arrival arrival = count->add(address);
    EXPECT_TRUE(arrival.place);
    places.push_back(std::move(arrival.place));
    return arrival.crowd;
  };
  EXPECT_EQ(add("a"), Crowd::kNone);
  EXPECT_EQ(add("a"), Crowd::kNone);
  EXPECT_EQ(add("a"), Crowd::kAddress);
  EXPECT_EQ(add("b"), Crowd::kServer);
  EXPECT_EQ(add(""), Crowd::kServer);
  EXPECT_EQ(count->of_address("a"), 3U);
  EXPECT_EQ(count->served(), 5U);
  places.resize(2);
  EXPECT_EQ(add("b"), Crowd::kNone);
}

TEST(ConnectionCount, RefusesFarBeyondTheLimits) {
  const auto count = std::make_shared<ConnectionCount>(1000, 1);
  std::vector<std::shared_ptr<ConnectionCount::Place>> places;
  while (auto place = count->add("a").place) places.push_back(std::move(place));
  EXPECT_EQ(places.size(), 1 + spare_connections(1));
  EXPECT_TRUE(count->add("b").place);
  const auto small = std::make_shared<ConnectionCount>(1, 1000);
  places.clear();
  while (auto place = small->add(std::to_string(places.size())).place) {
    places.push_back(std::move(place));
  }
  EXPECT_EQ(places.size(), 1 + spare_connections(1));
  EXPECT_EQ(small->add("").crowd, Crowd::kServer);
}

TEST(ConnectionCount, CountsTunnelsButDoesNotWaitForThem) {
  const auto count = std::make_shared<ConnectionCount>(1, 1);
  auto place = count->add("a").place;
  EXPECT_FALSE(count->wait_for_none(Duration(0)));
  place->left_server();
  EXPECT_TRUE(count->wait_for_none(Duration(0)));
  EXPECT_EQ(count->served(), 0U);
  EXPECT_EQ(count->add("b").crowd, Crowd::kServer);
  place.reset();
  EXPECT_EQ(count->add("b").crowd, Crowd::kNone);
  EXPECT_EQ(count->served(), 0U);
}

}  // namespace connection_count_test
}  // namespace proa::http
