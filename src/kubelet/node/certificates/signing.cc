#include "kubelet/node/certificates/signing.h"

#include "api/object/edit.h"
#include "base/encoding.h"
#include "base/log.h"
#include "client/certificates/request_object.h"
#include "client/certificates/signer_rules.h"
#include "crypto/certificate_request.h"
#include "json/print.h"

namespace proa::kubelet {
namespace signing {

const Log kLog{"kubelet"};

// Before a watch that broke off is opened again.
constexpr Duration kPause = std::chrono::seconds(1);

json::Document request_object(const SigningWish& wish, const std::string& request_pem) {
  json::Document made;
  made.root() = json::Value::object();
  const api::Edit object(made);
  object.set("apiVersion", "certificates.k8s.io/v1");
  object.set("kind", "CertificateSigningRequest");
  object.object("metadata").set("generateName", "csr-");
  const api::Edit spec = object.object("spec");
  spec.set("request", to_base64(request_pem));
  spec.set("signerName", wish.signer);
  const api::Edit usages = spec.array("usages");
  for (const std::string& usage : wish.usages) {
    usages.push(json::Value::string(usages.arena(), usage));
  }
  return made;
}

std::string words_of(api::View object, std::string_view type) {
  for (const api::View condition : object["status"]["conditions"].items()) {
    if (condition["type"].text() != type) continue;
    return "reason: " + std::string(condition["reason"].text()) +
           ", message: " + std::string(condition["message"].text());
  }
  return {};
}

// The certificate of a request; nullopt: not signed yet.
Result<std::optional<std::string>> outcome(const api::Object& object) {
  const json::Document document = TRY(object.document());
  const api::View request(document.root());
  const client::RequestVerdict verdict = client::request_verdict_of(request);
  if (verdict.denied) {
    return Status(Reason::kForbidden,
                  "certificate signing request is denied, " + words_of(request, "Denied"));
  }
  if (verdict.failed) {
    return Status(Reason::kInvalid,
                  "certificate signing request failed, " + words_of(request, "Failed"));
  }
  if (!verdict.approved || !client::has_certificate(request)) return std::optional<std::string>();
  std::optional<std::string> pem = from_base64(request["status"]["certificate"].text());
  if (!pem) return Status(Reason::kInvalid, "certificate in the signing request is not valid PEM");
  return pem;
}

bool is_over(Clock& clock, const Until& until) {
  return until.stop.stop_requested() || clock.steady() >= until.deadline;
}

void pause(Clock& clock, const Until& until) {
  Mutex mutex;
  CondVar changed;
  const std::stop_callback stopped(until.stop, [&] {
    MutexLock lock(mutex);
    changed.notify_all();
  });
  const Steady end = std::min(until.deadline, clock.steady() + kPause);
  MutexLock lock(mutex);
  while (!until.stop.stop_requested() && clock.steady() < end) {
    clock.wait_until(changed, mutex, end);
  }
}

// Follows one request until something came of it, or the watch broke off.
Result<std::optional<std::string>> follow(client::Client& client, const client::Place& place,
                                          const Until& until) {
  const api::ObjectPtr now = TRY(client.get(place, until));
  std::optional<std::string> pem = TRY(outcome(*now));
  if (pem) return pem;
  client::Place all = place;
  all.name.clear();
  const std::unique_ptr<client::Watch> watch =
      TRY(client.watch(all,
                       {.label_selector = {},
                        .field_selector = "metadata.name=" + place.name,
                        .resource_version = std::string(now->metadata().resource_version)},
                       until));
  while (true) {
    const std::vector<client::Event> events = TRY(watch->next(until));
    if (events.empty()) return std::optional<std::string>();
    for (const client::Event& event : events) {
      if (event.type == client::EventType::kBookmark) continue;
      if (event.type == client::EventType::kDeleted) {
        return Status(Reason::kGone, "certificate signing request was deleted");
      }
      pem = TRY(outcome(*event.object));
      if (pem) return pem;
    }
  }
}

// Whether asking again can't help.
bool is_final(const Status& why) {
  return why.is(Reason::kForbidden) || why.is(Reason::kGone) || why.is(Reason::kNotFound) ||
         why.is(Reason::kInvalid);
}

Result<std::string> wait_for(client::Client& client, const client::Place& place, Clock& clock,
                             const Until& until) {
  while (!is_over(clock, until)) {
    Result<std::optional<std::string>> found = follow(client, place, until);
    if (found && *found) return std::move(**found);
    if (found) continue;
    if (is_final(found.status())) return found.status();
    kLog.debug("watch of the certificate signing request ended", {{"error", found.status()}});
    pause(clock, until);
  }
  return Status(Reason::kTimeout, "certificate signing request was not signed in time");
}

}  // namespace signing

crypto::CertificateIdentity node_identity(api::NodeNameView node_name) {
  return {.common_name = "system:node:" + node_name.str(), .organizations = {"system:nodes"}};
}

SigningWish SigningWish::for_client(api::NodeNameView node_name) {
  return {.signer = std::string(client::kKubeletClientSigner),
          .usages = {"digital signature", "client auth"},
          .identity = node_identity(node_name)};
}

SigningWish SigningWish::for_server(api::NodeNameView node_name, std::vector<std::string> dns_names,
                                    std::vector<std::string> ip_addresses) {
  SigningWish wish{.signer = std::string(client::kKubeletServingSigner),
                   .usages = {"digital signature", "server auth"},
                   .identity = node_identity(node_name)};
  wish.identity.dns_names = std::move(dns_names);
  wish.identity.ip_addresses = std::move(ip_addresses);
  return wish;
}

Result<crypto::CertifiedKey> have_signed(client::Client& client, const api::Schema& schema,
                                         Clock& clock, const SigningWish& wish,
                                         const Until& until) {
  crypto::CertifiedKey pair;
  const crypto::PrivateKey key = crypto::PrivateKey::generate();
  pair.private_key_pem = key.pem();
  const std::string request = TRY(crypto::make_certificate_request(key, wish.identity));
  client::Place place{
      .resource = schema.find_resource("certificates.k8s.io", "v1", "certificatesigningrequests"),
      .name_space = {},
      .name = {},
      .subresource = {}};
  const api::ObjectPtr created =
      TRY(client.create(place, signing::request_object(wish, request), {}, until));
  place.name = created->metadata().name;
  signing::kLog.info("certificate signing request created",
                     {{"request", place.name}, {"signer", wish.signer}});
  pair.certificate_pem = TRY(signing::wait_for(client, place, clock, until));
  TRY(crypto::KeyPair::parse(pair));
  return pair;
}

}  // namespace proa::kubelet
