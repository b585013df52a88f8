#include "controllers/access/certificates/requests.h"

#include <algorithm>
#include <set>

#include "api/object/edit.h"
#include "base/encoding.h"
#include "base/log.h"
#include "controllers/access/certificates/approval.h"
#include "controllers/access/certificates/serving_approval.h"
#include "controllers/access/certificates/sign.h"
#include "crypto/certificate.h"
#include "json/parse.h"
#include "json/print.h"

namespace proa::controllers {
namespace requests {

const Log kLog{"controllers"};

// Between two reviews of a request whose sender lacks permission.
constexpr Duration kRefusedInterval = std::chrono::minutes(5);

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
    return look_at(*object, document);
  }

 protected:
  // `document`: that of the request, to edit.
  virtual Result<client::Again> look_at(const api::Object& request, json::Document& document) = 0;

  static std::string name_of(const api::Object& request) {
    return std::string(request.metadata().name);
  }

  void add_condition(json::Document& document, const client::RequestCondition& condition) const {
    const api::Edit added = api::Edit(document).object("status").array("conditions").push_object();
    added.set("type", condition.type);
    added.set("status", "True");
    added.set("reason", condition.reason);
    added.set("message", condition.message);
    added.set("lastUpdateTime", format_time(clock_.now()));
  }

  // kConflict: the event of the change is pending.
  Result<client::Again> write(const api::Object& request, std::string_view part,
                              json::Document document) {
    const Result<api::ObjectPtr> written = client_.update({.resource = &resource_,
                                                           .name_space = {},
                                                           .name = name_of(request),
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

std::vector<std::string> names_in(const api::Object& node) {
  const Result<json::Document> document = node.document();
  return document ? names_of_node(document->root()) : std::vector<std::string>();
}

class Approver final : public RequestController {
 public:
  explicit Approver(const ControllerContext& context)
      : RequestController(context),
        reviews_(
            *context.schema.find_resource("authorization.k8s.io", "v1", "subjectaccessreviews")),
        nodes_(context.informers.of("", "nodes")),
        events_(context.events),
        reserved_(context.options.server_names.begin(), context.options.server_names.end()) {
    nodes_.add_index(kNodesByName, names_in);
  }

  void listen(client::WorkQueue& queue) override {
    RequestController::listen(queue);
    // A request may come before the Node has its addresses, and wait for another Node to leave.
    nodes_.add_handler([this, &queue](const client::Change& change) {
      if (change.before != nullptr && change.after != nullptr &&
          names_in(*change.before) == names_in(*change.after)) {
        return;
      }
      for (const api::ObjectPtr& request : requests_.cache().list()) {
        if (is_serving(*request)) queue.add({"", std::string(request->metadata().name)});
      }
    });
  }

 private:
  static constexpr const char* kNodesByName = "certificates: nodes by name and address";

  static bool is_serving(const api::Object& request) {
    const Result<json::Document> document = request.document();
    return document && serving_node_of(document->root());
  }

  Result<client::Again> look_at(const api::Object& request, json::Document& document) override {
    if (const auto node = serving_node_of(document.root())) {
      return look_at_serving(request, document, *node);
    }
    return look_at_client(request, document);
  }

  // Without a retry: the Nodes decide, and their changes bring the key back.
  Result<client::Again> look_at_serving(const api::Object& request, json::Document& document,
                                        const std::string& node) {
    const api::ObjectPtr found = nodes_.cache().get({"", node});
    json::Document of_node;
    if (found != nullptr) of_node = TRY(found->document());
    const Result<client::RequestCondition> condition = serving_approval_of(
        document.root(), found == nullptr ? api::View() : api::View(of_node.root()),
        [&](const std::string& name) { return is_taken(name, node); });
    // A node asks while its Node is being created.
    if (condition.is(Reason::kNotFound)) return client::Again{};
    if (condition.is(Reason::kForbidden) || condition.is(Reason::kInvalid)) {
      kLog.warn("kubelet serving certificate not approved",
                {{"name", name_of(request)}, {"node", node}, {"why", condition.status()}});
      // Not denied: the Nodes may change.
      events_.warning(client::ObjectReference::to(request), "NotApproved",
                      "kubelet serving certificate not approved: " + condition.status().message());
      return client::Again{};
    }
    if (!condition) return condition.status();
    add_condition(document, *condition);
    return write(request, "approval", std::move(document));
  }

  bool is_taken(const std::string& name, const std::string& node) const {
    if (reserved_.contains(name) || name.ends_with(".svc") || name.ends_with(".cluster.local")) {
      return true;
    }
    const std::vector<api::ObjectPtr> claimants = nodes_.cache().find(kNodesByName, name);
    return std::any_of(claimants.begin(), claimants.end(), [&](const api::ObjectPtr& claimant) {
      return claimant->metadata().name != node;
    });
  }

  Result<client::Again> look_at_client(const api::Object& request, json::Document& document) {
    const api::View object = document.root();
    const MayCreate may_create = [&](std::string_view part) { return review(object, part); };
    const Result<std::optional<client::RequestCondition>> condition =
        approval_of(object, may_create);
    // Retrying does not help.
    if (condition.is(Reason::kInvalid)) return client::Again{};
    // Only new roles help, which are rare.
    if (condition.is(Reason::kForbidden)) {
      kLog.info("certificate signing request not approved",
                {{"name", name_of(request)}, {"why", condition.status()}});
      return client::Again{kRefusedInterval};
    }
    if (!condition) return condition.status();
    if (!*condition) return client::Again{};
    add_condition(document, **condition);
    return write(request, "approval", std::move(document));
  }

  Result<bool> review(api::View object, std::string_view part) {
    const api::ObjectPtr answer =
        TRY(client_.create({.resource = &reviews_, .name_space = {}, .name = {}, .subresource = {}},
                           json::parse_literal(review_of(object, part)), {}));
    const json::Document read = TRY(answer->document());
    return api::View(read.root())["status"]["allowed"].flag();
  }

  const api::Resource& reviews_;
  client::Informer& nodes_;
  client::EventRecorder& events_;
  const std::set<std::string, std::less<>> reserved_;
};

class Signer final : public RequestController {
 public:
  explicit Signer(const ControllerContext& context)
      : RequestController(context),
        authority_{.certificate_pem = context.options.signing_certificate_pem,
                   .private_key_pem = context.options.signing_key_pem} {}

 private:
  Result<client::Again> look_at(const api::Object& request, json::Document& document) override {
    if (authority_.private_key_pem.empty()) return client::Again{};
    const Result<Signed> done = sign_request(document.root(), authority_, clock_);
    if (done.is(Reason::kInvalid)) {
      kLog.warn("parsing the certificate signing request failed",
                {{"name", name_of(request)}, {"error", done.status()}});
      return client::Again{};
    }
    if (!done) return done.status();
    if (done->condition) add_condition(document, *done->condition);
    if (!done->certificate_pem.empty()) {
      api::Edit(document).object("status").set("certificate", to_base64(done->certificate_pem));
    }
    if (!done->condition && done->certificate_pem.empty()) return client::Again{};
    return write(request, "status", std::move(document));
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
