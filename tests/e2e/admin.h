#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/encoding.h"
#include "http/client/client.h"
#include "json/parse.h"
#include "json/yaml.h"

// A low-level API client for tests, over our own HTTP client.
namespace proa::e2e {

using namespace std::chrono_literals;

inline constexpr const char* kMaps = "/api/v1/namespaces/default/configmaps";

// Null if absent. In a list, a key selects the first item.
inline const json::Value& at(const json::Value& value,
                             std::initializer_list<std::string_view> path) {
  static const json::Value kNothing{};
  const json::Value* here = &value;
  for (const std::string_view key : path) {
    here = here->is(json::Kind::kArray) ? (here->size() > 0 ? &here->items()[0] : nullptr)
                                        : here->find(key);
    if (here == nullptr) return kNothing;
  }
  return *here;
}

inline std::string text_at(const json::Value& value, std::initializer_list<std::string_view> path) {
  const json::Value& found = at(value, path);
  return found.is(json::Kind::kString) ? std::string(found.as_string()) : "";
}

inline uint64_t version_of(const json::Value& value) {
  return std::strtoull(text_at(value, {"metadata", "resourceVersion"}).c_str(), nullptr, 10);
}

// The test object: a ConfigMap with a number.
struct Item {
  uint64_t version = 0;
  int64_t number = 0;
  bool operator==(const Item&) const = default;
  friend void PrintTo(const Item& item, std::ostream* out) {
    *out << item.number << " at version " << item.version;
  }
};
using Items = std::map<std::string, Item>;

inline Item item_of(const json::Value& object) {
  return {version_of(object), std::atoll(text_at(object, {"data", "number"}).c_str())};
}

// Odd numbers are labelled, for watches with selectors.
inline std::string config_map(const std::string& name, int64_t number, uint64_t version = 0) {
  return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name +
         R"(","labels":{"odd":")" + (number % 2 != 0 ? "yes" : "no") + R"("})" +
         (version == 0 ? "" : R"(,"resourceVersion":")" + std::to_string(version) + "\"") +
         R"(},"data":{"number":")" + std::to_string(number) + R"("}})";
}

// An administrator with its own connections, from the server's kubeconfig.
class Admin {
 public:
  explicit Admin(const std::string& data_dir, bool http2 = true) {
    std::ifstream file(data_dir + "/admin.kubeconfig");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const json::Document config = json::parse_yaml(text).value();
    const auto pem = [&](std::initializer_list<std::string_view> path) {
      return from_base64(text_at(config.root(), path)).value();
    };
    const std::string url = text_at(config.root(), {"clusters", "first", "cluster", "server"});
    origin_ = {.tls = true, .host = "127.0.0.1", .port = std::stoi(url.substr(url.rfind(':') + 1))};
    http::ClientOptions options;
    options.pool.tls =
        http::TlsContext::client(
            {.certificate_pem = pem({"users", "first", "user", "client-certificate-data"}),
             .private_key_pem = pem({"users", "first", "user", "client-key-data"}),
             .roots_pem = pem({"clusters", "first", "cluster", "certificate-authority-data"}),
             .http2 = http2})
            .value();
    client_.emplace(loops_, clock_, options);
  }

  struct Answer {
    int code = 0;  // zero: no response
    json::Document body;
    const json::Value& root() const { return body.root(); }
  };
  Answer ask(std::string_view method, const std::string& target, const std::string& body = "") {
    const Result<http::Response> response =
        client_->send(request(method, target, body), Until::after(clock_, 30s));
    if (!response.ok()) return {};
    Result<json::Document> parsed = json::parse(response->body.view());
    return {response->status, parsed.ok() ? std::move(*parsed) : json::Document()};
  }
  // The whole response, whatever it is.
  Result<http::Response> send(std::string_view method, const std::string& target,
                              const std::string& body, const std::string& content_type) {
    http::ClientRequest sent = request(method, target, body);
    sent.headers.set("content-type", content_type);
    return client_->send(std::move(sent), Until::after(clock_, 60s));
  }
  std::unique_ptr<http::BlockingCall> open(const std::string& target) {
    return client_->open(request("GET", target, ""));
  }

  struct List {
    uint64_t version = 0;
    Items items;
  };
  // `query` begins with '?' or is empty; follows all pages.
  List list(const std::string& query = "") {
    List all;
    std::string next;
    do {
      const Answer page = ask("GET", kMaps + query + (next.empty() ? "" : "&continue=" + next));
      EXPECT_EQ(page.code, 200);
      all.version = version_of(page.root());
      for (const json::Value& object : at(page.root(), {"items"}).items()) {
        all.items[text_at(object, {"metadata", "name"})] = item_of(object);
      }
      next = text_at(page.root(), {"metadata", "continue"});
    } while (!next.empty());
    all.items.erase("kube-root-ca.crt");
    return all;
  }
  Clock& clock() { return clock_; }

 private:
  http::ClientRequest request(std::string_view method, const std::string& target,
                              const std::string& body) const {
    http::ClientRequest request;
    request.origin = origin_;
    request.method = method;
    request.target = target;
    request.body = Bytes::copy_of(body);
    if (!body.empty()) request.headers.add("content-type", "application/json");
    return request;
  }

  SystemClock clock_;
  http::LoopGroup loops_{1};
  http::Origin origin_;
  std::optional<http::Client> client_;
};

struct Event {
  std::string type;
  std::string name;
  Item item;
  std::string message;  // of an ERROR
};

// The events of one watch, in order.
class Watch {
 public:
  Watch(Admin& admin, const std::string& query)
      : clock_(admin.clock()), call_(admin.open(std::string(kMaps) + "?watch=true" + query)) {}

  // Nullopt if the server ended it, or on timeout.
  std::optional<Event> next() {
    size_t end = 0;
    while ((end = text_.find('\n')) == std::string::npos) {
      const auto part = call_->read(Until::after(clock_, 30s));
      if (!part.ok() || !part->has_value()) return std::nullopt;
      text_ += (*part)->view();
    }
    const json::Document document = json::parse(std::string_view(text_).substr(0, end)).value();
    text_.erase(0, end + 1);
    const json::Value& object = at(document.root(), {"object"});
    return Event{text_at(document.root(), {"type"}), text_at(object, {"metadata", "name"}),
                 item_of(object), text_at(object, {"message"})};
  }

 private:
  Clock& clock_;
  std::unique_ptr<http::BlockingCall> call_;
  std::string text_;
};

}  // namespace proa::e2e
