#include "controllers/access/certificates/requests.h"

#include "api/object/edit.h"
#include "base/encoding.h"
#include "base/log.h"
#include "controllers/access/certificates/approval.h"
#include "controllers/access/certificates/sign.h"
#include "crypto/certificate.h"
#include "json/parse.h"
#include "json/print.h"

namespace proa::controllers {
namespace requests {

const Log kLog{"controllers"};

// The base of approver and signer: reads a request and writes a subresource.
class RequestController : public Controller {
 public:
  explicit RequestController(const ControllerContext& context)
      : client_(context.client),
        resource_(*context.schema.find_resource("certificates.k8s.io", "v1",
                                                "certificatesigningrequests")),
        requests_(context.informers.of("certificates.k8s.io", "certificatesigningrequests")),
        clock_(context.clock) {}

  void listen(client::WorkQueue& queue) override {
    requests_.add_handler([&queue](const client::Change& change) {
      if (change.after != nullptr) queue.add(change.key);
    });
  }

  Result<client::Again> reconcile(const client::Key& key) override {
    const api::ObjectPtr object = requests_.cache().get(key);
    if (object == nullptr || object->metadata().being_deleted) return client::Again{};
    json::Document document = TRY(object->document());
    return look_at(key, document);
  }

 protected:
  virtual Result<client::Again> look_at(const client::Key& key, json::Document& document) = 0;

  void add_condition(json::Document& document, const client::RequestCondition& condition) const {
    const api::Edit added = api::Edit(document).object("status").array("conditions").push_object();
    added.set("type", condition.type);
    added.set("status", "True");
    added.set("reason", condition.reason);
    added.set("message", condition.message);
    added.set("lastUpdateTime", format_time(clock_.now()));
  }

  // kConflict: the event of the change is pending.
  Result<client::Again> write(const client::Key& key, std::string_view part,
                              json::Document document) {
    const Result<api::ObjectPtr> written = client_.update({.resource = &resource_,
                                                           .name_space = {},
                                                           .name = key.name,
                                                           .subresource = std::string(part)},
                                                          std::move(document), {});
    if (written || written.is(Reason::kConflict) || written.is(Reason::kNotFound)) {
      return client::Again{};
    }
    return written.status();
  }

  const client::BoundedClient client_;
  const api::Resource& resource_;
  client::Informer& requests_;
  Clock& clock_;
};

class Approver final : public RequestController {
 public:
  explicit Approver(const ControllerContext& context)
      : RequestController(context),
        reviews_(
            *context.schema.find_resource("authorization.k8s.io", "v1", "subjectaccessreviews")) {}

 private:
  Result<client::Again> look_at(const client::Key& key, json::Document& document) override {
    const api::View object = document.root();
    const MayCreate may_create = [&](std::string_view part) { return review(object, part); };
    const Result<std::optional<client::RequestCondition>> condition =
        approval_of(object, may_create);
    // Retrying does not help.
    if (condition.is(Reason::kInvalid)) return client::Again{};
    if (!condition) return condition.status();
    if (!*condition) return client::Again{};
    add_condition(document, **condition);
    return write(key, "approval", std::move(document));
  }

  Result<bool> review(api::View object, std::string_view part) {
    const api::ObjectPtr answer =
        TRY(client_.create({.resource = &reviews_, .name_space = {}, .name = {}, .subresource = {}},
                           json::parse_literal(review_of(object, part)), {}));
    const json::Document read = TRY(answer->document());
    return api::View(read.root())["status"]["allowed"].flag();
  }

  const api::Resource& reviews_;
};

class Signer final : public RequestController {
 public:
  explicit Signer(const ControllerContext& context)
      : RequestController(context),
        authority_{.certificate_pem = context.options.signing_certificate_pem,
                   .private_key_pem = context.options.signing_key_pem} {}

 private:
  Result<client::Again> look_at(const client::Key& key, json::Document& document) override {
    if (authority_.private_key_pem.empty()) return client::Again{};
    const Result<Signed> done = sign_request(document.root(), authority_, clock_);
    if (done.is(Reason::kInvalid)) {
      kLog.warn("parsing the certificate signing request failed",
                {{"name", key.name}, {"error", done.status()}});
      return client::Again{};
    }
    if (!done) return done.status();
    if (done->condition) add_condition(document, *done->condition);
    if (!done->certificate_pem.empty()) {
      api::Edit(document).object("status").set("certificate", to_base64(done->certificate_pem));
    }
    if (!done->condition && done->certificate_pem.empty()) return client::Again{};
    return write(key, "status", std::move(document));
  }

  const crypto::CertifiedKey authority_;
};

}  // namespace requests

std::unique_ptr<Controller> make_request_approver(const ControllerContext& context) {
  return std::make_unique<requests::Approver>(context);
}

std::unique_ptr<Controller> make_request_signer(const ControllerContext& context) {
  return std::make_unique<requests::Signer>(context);
}

}  // namespace proa::controllers
