#include "encryption/kms/kms_service.h"

#include "api/codec/protobuf/from_protobuf.h"
#include "api/codec/protobuf/to_protobuf.h"
#include "api/object/edit.h"
#include "base/encoding.h"
#include "encryption/kms/messages.h"
#include "http/client/grpc.h"

namespace proa::encryption {
namespace kms_service {

using api::Edit;
using api::View;
using json::Document;

const api::Type& message_type(const std::string& name) {
  const api::Type* type = kms_schema().find_openapi("v2." + name);
  CHECK(type != nullptr);
  return *type;
}

Document message() { return {json::Arena(), json::Value::object()}; }

std::string bytes_of(View field) { return from_base64(field.text()).value_or(""); }

Annotations annotations_of(View field) {
  Annotations annotations;
  for (const json::Member& member : field.members()) {
    annotations[std::string(member.key)] = bytes_of(member.value);
  }
  return annotations;
}

class GrpcKms final : public KmsService {
 public:
  GrpcKms(const KmsConfiguration& configuration, http::Origin origin, EncryptionMetrics& metrics,
          Random& random)
      : configuration_(configuration),
        metrics_(metrics),
        random_(random),
        client_(loops_, metrics.clock(), {}),
        channel_(client_, std::move(origin)) {}

  Result<KmsStatus> status() override {
    const Document answer = TRY(ask("Status", {}));
    const View read = answer.root();
    return KmsStatus{.version = std::string(read["version"].text()),
                     .healthz = std::string(read["healthz"].text()),
                     .key_id = std::string(read["key_id"].text())};
  }

  Result<KmsEncrypted> encrypt(std::string_view plain) override {
    Document request = message();
    const Edit edit(request);
    edit.set("plaintext", to_base64(plain));
    edit.set("uid", make_uid(random_));
    const std::string bytes = TRY(api::to_protobuf(request.root(), message_type("EncryptRequest")));
    const Document answer = TRY(ask("Encrypt", bytes));
    const View read = answer.root();
    return KmsEncrypted{.ciphertext = bytes_of(read["ciphertext"]),
                        .key_id = std::string(read["key_id"].text()),
                        .annotations = annotations_of(read["annotations"])};
  }

  Result<std::string> decrypt(const EncryptedObject& object) override {
    Document request = message();
    const Edit edit(request);
    edit.set("ciphertext", to_base64(object.source));
    edit.set("uid", make_uid(random_));
    edit.set("key_id", object.key_id);
    if (!object.annotations.empty()) {
      const Edit annotations = edit.object("annotations");
      for (const auto& [name, value] : object.annotations) annotations.set(name, to_base64(value));
    }
    const std::string bytes = TRY(api::to_protobuf(request.root(), message_type("DecryptRequest")));
    const Document answer = TRY(ask("Decrypt", bytes));
    const View read = answer.root();
    return bytes_of(read["plaintext"]);
  }

 private:
  Result<Document> ask(const std::string& method, std::string_view request) {
    const std::string path = "/v2.KeyManagementService/" + method;
    const Steady begin = metrics_.clock().steady();
    const Result<Bytes> answer =
        channel_.unary(path, request, Until::after(metrics_.clock(), configuration_.timeout));
    const Result<void> outcome = answer.ok() ? Result<void>() : Result<void>(answer.status());
    metrics_.kms_call(configuration_.name, path, outcome, metrics_.clock().steady() - begin);
    if (!answer.ok()) return answer.status();
    return api::from_protobuf(answer->view(), message_type(method + "Response"), kms_schema());
  }

  const KmsConfiguration configuration_;
  EncryptionMetrics& metrics_;
  Random& random_;
  http::LoopGroup loops_{1};
  http::Client client_;
  http::GrpcChannel channel_;
};

}  // namespace kms_service

std::unique_ptr<KmsService> connect_kms(const KmsConfiguration& configuration,
                                        EncryptionMetrics& metrics, Random& random) {
  return connect_kms(configuration, http::Origin::unix_socket(configuration.socket), metrics,
                     random);
}

std::unique_ptr<KmsService> connect_kms(const KmsConfiguration& configuration, http::Origin origin,
                                        EncryptionMetrics& metrics, Random& random) {
  return std::make_unique<kms_service::GrpcKms>(configuration, std::move(origin), metrics, random);
}

}  // namespace proa::encryption
