#include "controllers/access/request_cleaner.h"

#include "base/encoding.h"
#include "controllers/framework/times.h"
#include "controllers/framework/writes.h"
#include "crypto/certificate.h"

namespace proa::controllers {
namespace request_cleaner {

using client::Again;
using client::Key;

constexpr Duration kIssuedAge = std::chrono::hours(1);
constexpr Duration kRefusedAge = std::chrono::hours(1);  // denied, or failed
constexpr Duration kPendingAge = std::chrono::hours(24);

// The expiry of the first certificate in a PEM text; nullopt if it cannot be parsed.
std::optional<Time> end_of_certificate(const std::string& pem) {
  const Result<crypto::Certificate> certificate = crypto::Certificate::parse(pem);
  if (!certificate) return std::nullopt;
  return certificate->not_after();
}

// The age limit of a request by its condition.
std::optional<Duration> age_of(std::string_view decision, bool issued) {
  if (decision == "Denied" || decision == "Failed") return kRefusedAge;
  if (decision == "Approved") return issued ? kIssuedAge : kPendingAge;
  return std::nullopt;
}

class RequestCleaner final : public Controller {
 public:
  explicit RequestCleaner(const ControllerContext& context)
      : client_(context.client),
        clock_(context.clock),
        resource_(*context.schema.find_resource("certificates.k8s.io", "v1",
                                                "certificatesigningrequests")),
        requests_(context.informers.of("certificates.k8s.io", "certificatesigningrequests")) {}

  size_t workers() const override { return 1; }

  void listen(client::WorkQueue& queue) override {
    requests_.add_handler([&queue](const client::Change& change) {
      if (change.after != nullptr) queue.add(change.key);
    });
  }

  Result<Again> reconcile(const Key& key) override {
    const api::ObjectPtr request = requests_.cache().get(key);
    if (request == nullptr || request->metadata().being_deleted) return Again{};
    const json::Document document = TRY(request->document());
    const std::optional<Time> removal = removal_of_request(document.root());
    if (!removal) return Again{};
    const Time now = clock_.now();
    if (now < *removal) return Again{*removal - now};
    client::RemoveChoices choices;
    choices.uid = std::string(request->metadata().uid);
    TRY(unless_gone(client_.remove(place_of(resource_, key), choices)));
    return Again{};
  }

 private:
  const client::BoundedClient client_;
  Clock& clock_;
  const api::Resource& resource_;
  client::Informer& requests_;
};

}  // namespace request_cleaner

std::optional<Time> removal_of_request(api::View request) {
  using namespace request_cleaner;
  const api::View status = request["status"];
  std::optional<Time> first;
  const auto consider = [&first](std::optional<Time> since, Duration age) {
    if (since && (!first || *since + age < *first)) first = *since + age;
  };
  if (status["conditions"].empty()) {
    consider(time_of(request["metadata"]["creationTimestamp"]), kPendingAge);
  }
  const std::string certificate = from_base64(status["certificate"].text()).value_or("");
  for (const api::View condition : status["conditions"].items()) {
    const std::string_view decision = condition["type"].text();
    if (const auto age = age_of(decision, !certificate.empty())) {
      consider(time_of(condition["lastUpdateTime"]), *age);
    }
    if (decision == "Approved" && !certificate.empty()) {
      consider(end_of_certificate(certificate), Duration{});
    }
  }
  return first;
}

std::unique_ptr<Controller> make_request_cleaner(const ControllerContext& context) {
  return std::make_unique<request_cleaner::RequestCleaner>(context);
}

}  // namespace proa::controllers
