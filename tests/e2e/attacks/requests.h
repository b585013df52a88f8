#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <utility>
#include <vector>

#include "attack.h"
#include "costly_requests.h"
#include "tests/e2e/token_client.h"

// Attacks by whole requests, several at once.
namespace proa::e2e {

class Requests : public Attack {
 public:
  Requests(const std::string& data_dir, int port, const std::string& token = kHostileToken)
      : client_(data_dir, port, token) {}

  void step() override {
    std::vector<std::jthread> senders;
    for (int i = 0; i < kAtOnce; ++i) {
      senders.emplace_back([this, number = number_++] { send(number); });
    }
  }

 protected:
  static constexpr int kAtOnce = 8;
  virtual void send(int number) = 0;

  // There is a response, a good one or one that says what is scarce.
  void expect(const Result<http::Response>& response, std::vector<int> codes,
              std::string_view what) {
    if (!response.ok()) return;  // cut off: a server may choose so
    codes.insert(codes.end(), {429, 503, 507});
    EXPECT_NE(std::ranges::find(codes, response->status), codes.end())
        << what << ": " << text_of(response);
  }

  TokenClient client_;

 private:
  int number_ = 0;
};

// Requests that cost far more than their size.
class CostlyRequests final : public Requests {
 public:
  CostlyRequests(const std::string& data_dir, int port, std::vector<CostlyRequest> requests)
      : Requests(data_dir, port), requests_(std::move(requests)) {}

 private:
  void send(int number) override {
    const CostlyRequest& request = requests_[static_cast<size_t>(number) % requests_.size()];
    std::vector<int> codes = request.codes;
    codes.insert(codes.end(), {404, 409});  // the list may not fit on the disk, or be there
    expect(client_.send(request.method, std::string(request.target), request.body,
                        request.content_type),
           std::move(codes), request.name);
  }

  const std::vector<CostlyRequest> requests_;
};

// Objects just below the limit on their size and just above it.
class LargeObjects final : public Requests {
 public:
  using Requests::Requests;
  ~LargeObjects() override {
    for (int i = 0; i < kAtOnce; ++i) client_.ask("DELETE", target(i));
  }

 private:
  static std::string name(int number) { return "edge-" + std::to_string(number % kAtOnce); }
  static std::string target(int number) { return std::string(kRoles) + "/" + name(number); }

  void send(int number) override {
    const bool below = number / kAtOnce % 2 == 0;
    // 409: the deletion of the one before was refused, as others are.
    const std::string text =
        role(name(number), repeated("\"" + std::string(1000, 'v') + "\"", below ? 1480 : 1580));
    expect(client_.send("POST", std::string(kRoles), text),
           below ? std::vector{201, 409} : std::vector{413}, "an object near the limit");
    expect(client_.send("DELETE", target(number)), {200, 404}, "its deletion");
  }
};

// Many objects at once that are each too small to be counted as large.
class MiddlingObjects final : public Requests {
 public:
  using Requests::Requests;

 private:
  void send(int number) override {
    std::vector<std::jthread> more;
    for (int i = 0; i < kAtOnce; ++i) {
      more.emplace_back([this, number, i] {
        const std::string name = fmt::format("middling-{}-{}", number % kAtOnce, i);
        // Refused by validation: it costs as much as an accepted one, but no space on the disk.
        const std::string text =
            R"({"metadata":{"name":")" + name + R"("},"spec":{"containers":[)" +
            repeated(R"({"name":"UPPER","env":[{"name":"a","value":"b"}]})", 3'000) + "]}}";
        expect(client_.send("POST", std::string(kPods), text), {422}, name);
      });
    }
  }
};

// Patches that would leave an object without its kind.
class KindRemovals final : public Requests {
 public:
  using Requests::Requests;
  ~KindRemovals() override {
    for (int i = 0; i < kAtOnce; ++i) client_.ask("DELETE", target(i));
  }

 private:
  static std::string name(int number) { return "kindless-" + std::to_string(number % kAtOnce); }
  static std::string target(int number) { return std::string(kMaps) + "/" + name(number); }

  void send(int number) override {
    const std::pair<std::string_view, const char*> patches[] = {
        {kMergePatch, R"({"kind":null,"apiVersion":null})"},
        {kStrategicPatch, R"({"kind":null,"data":{"x":"y"}})"},
        {kJsonPatch, R"([{"op":"remove","path":"/kind"}])"},
        {kJsonPatch, R"([{"op":"remove","path":"/apiVersion"}])"},
    };
    client_.ask("POST", kMaps, config_map(name(number), number));
    const auto& [type, patch] = patches[number / kAtOnce % std::size(patches)];
    expect(client_.send("PATCH", target(number), patch, type), {200, 400, 404, 409, 422},
           "removal of the kind");
    const auto read = client_.send("GET", target(number));
    if (!read.ok() || read->status != 200) return;
    EXPECT_NE(read->body.view().find(R"("kind":"ConfigMap","apiVersion":"v1")"),
              std::string_view::npos)
        << text_of(read);
  }
};

// Input that is small, and deep or long.
class OddRequests final : public Requests {
 public:
  using Requests::Requests;

 private:
  void send(int number) override {
    const std::string maps = kMaps;
    switch (number % 6) {
      case 0:
        return expect(client_.send("POST", maps, std::string(1'000'000, '[')), {400, 413}, "lists");
      case 1:
        return expect(client_.send("POST", maps, repeated(R"({"a":)", 200'000, "")), {400, 413},
                      "deep objects");
      case 2:
        return expect(
            client_.send("GET", maps + "?labelSelector=a+in+(" + repeated("x", 20'000) + ")"),
            {200, 400, 414, 431}, "a long selector");
      case 3:
        return expect(client_.send("GET", maps + "?" + repeated("labelSelector=a", 4'000, "&")),
                      {200, 400, 414, 431}, "many parameters");
      case 4:
        return expect(client_.send("GET", maps + "?limit=1&continue=" + std::string(50'000, 'A')),
                      {400, 410, 414, 431}, "a long token");
      default:
        return expect(client_.send("GET", "/" + repeated("a", 30'000, "/")), {400, 404, 414, 431},
                      "a long path");
    }
  }
};

// As many as possible that are answered without work.
class Flood final : public Requests {
 public:
  enum class Of : uint8_t { kUnknownPaths, kBadTokens };
  Flood(const std::string& data_dir, int port, Of of)
      : Requests(data_dir, port, of == Of::kBadTokens ? "wrong" : kHostileToken), of_(of) {}

 private:
  void send(int number) override {
    for (int i = 0; i < 50; ++i) {
      const std::string target = of_ == Of::kBadTokens
                                     ? std::string(kMaps)
                                     : "/apis/none-" + std::to_string(number * 50 + i) + "/v1/x";
      expect(client_.send("GET", target), {of_ == Of::kBadTokens ? 401 : 404}, target);
    }
  }

  const Of of_;
};

}  // namespace proa::e2e
