#include "kubelet/runtime/cri/cri_runtime.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/codec/protobuf/from_protobuf.h"
#include "api/codec/protobuf/to_protobuf.h"
#include "api/object/edit.h"
#include "api/schema/builtin.h"
#include "api/validation/go_text.h"
#include "base/log.h"
#include "base/strings.h"
#include "http/client/grpc.h"
#include "kubelet/runtime/cri/labels.h"
#include "kubelet/runtime/cri/messages.h"

namespace proa::kubelet::cri {
namespace cri_runtime {

using namespace std::chrono_literals;
using api::Edit;
using api::View;
using json::Document;

const Log kLog{"kubelet"};

// Upstream's --runtime-request-timeout.
constexpr Duration kUsual = 2min;
// Networks take their time.
constexpr Duration kSandbox = 2 * kUsual;

constexpr std::string_view kRuntime = "RuntimeService";
constexpr std::string_view kImages = "ImageService";

Document message() { return {json::Arena(), json::Value::object()}; }

// A message with an id only.
Document message(std::string_view field, std::string_view id) {
  Document made = message();
  Edit(made).set(field, id);
  return made;
}

Document image_message(std::string_view reference) {
  Document made = message();
  Edit(made).object("image").set("image", reference);
  return made;
}

void put_words(const Edit& list, const std::vector<std::string>& words) {
  for (const auto& word : words) list.push(json::Value::string(list.arena(), word));
}

// CRI counts in seconds, where zero means something else than "soon".
int64_t whole_seconds(Duration time) {
  return std::chrono::ceil<std::chrono::seconds>(time).count();
}

// Something that does not exist need not be removed.
Result<void> unless_gone(Result<void> done) {
  return done.is(Reason::kNotFound) ? Result<void>() : done;
}

class CriRuntime final : public Runtime {
 public:
  CriRuntime(http::Client& client, http::Origin origin)
      : clock_(client.clock()), channel_(client, std::move(origin)) {}

  Result<RuntimeVersion> version(const Until& until) override;
  Result<RuntimeReadiness> readiness(const Until& until) override;
  Result<void> set_pod_cidr(const std::string& cidr, const Until& until) override;
  Result<std::string> run_sandbox(const json::Value& config, const std::string& handler,
                                  const Until& until) override;
  Result<void> stop_sandbox(const std::string& id, const Until& until) override;
  Result<void> remove_sandbox(const std::string& id, const Until& until) override;
  Result<Sandbox> sandbox(const std::string& id, const Until& until) override;
  Result<std::vector<Sandbox>> sandboxes(api::UidView pod_uid, const Until& until) override;
  Result<std::string> create_container(const std::string& sandbox_id, const json::Value& config,
                                       const json::Value& sandbox_config,
                                       const Until& until) override;
  Result<void> start_container(const std::string& id, const Until& until) override;
  Result<void> stop_container(const std::string& id, Duration grace, const Until& until) override;
  Result<void> remove_container(const std::string& id, const Until& until) override;
  Result<Container> container(const std::string& id, const Until& until) override;
  Result<std::vector<Container>> containers(const ContainerFilter& filter,
                                            const Until& until) override;
  Result<void> update_resources(const std::string& id, const json::Value& resources,
                                const Until& until) override;
  Result<void> reopen_log(const std::string& id, const Until& until) override;
  Result<ExecResult> exec(const std::string& id, const std::vector<std::string>& command,
                          Duration timeout, const Until& until) override;
  Result<std::string> exec_url(const std::string& id, const std::vector<std::string>& command,
                               const StreamChoices& choices, const Until& until) override;
  Result<std::string> attach_url(const std::string& id, const StreamChoices& choices,
                                 const Until& until) override;
  Result<std::string> port_forward_url(const std::string& sandbox_id,
                                       const std::vector<int32_t>& ports,
                                       const Until& until) override;
  Result<std::optional<Image>> image(const std::string& reference, const Until& until) override;
  Result<std::vector<Image>> images(const Until& until) override;
  Result<std::string> pull_image(const std::string& reference, const PullCredentials& credentials,
                                 const json::Value& sandbox_config, const Until& until) override;
  Result<void> remove_image(const std::string& reference, const Until& until) override;
  Result<std::vector<FilesystemUse>> image_filesystems(const Until& until) override;

 private:
  // `until`, or that long where it has no end.
  Until within(const Until& until, Duration usual) const {
    if (until.deadline != Steady::max()) return until;
    return {clock_.steady() + usual, until.stop};
  }
  // The answer's bytes. `method` names the request's type too.
  Result<Bytes> send(std::string_view service, std::string_view method, const Document& request,
                     const Until& until);
  // The answer as a document.
  Result<Document> ask(std::string_view service, std::string_view method, const Document& request,
                       const Until& until);
  // For methods with an empty response.
  Result<void> tell(std::string_view service, std::string_view method, const Document& request,
                    const Until& until);
  // A text of the answer that must be there.
  Result<std::string> ask_text(std::string_view service, std::string_view method,
                               const Document& request, std::string_view field, const Until& until);

  Clock& clock_;
  http::GrpcChannel channel_;
};

Result<Bytes> CriRuntime::send(std::string_view service, std::string_view method,
                               const Document& request, const Until& until) {
  const api::Type* type =
      api::cri_schema().find_openapi(fmt::format("runtime.v1.{}Request", method));
  CHECK(type != nullptr);
  const std::string bytes = TRY(api::to_protobuf(request.root(), *type));
  const Steady begin = clock_.steady();
  Result<Bytes> answer =
      channel_.unary(fmt::format("/runtime.v1.{}/{}", service, method), bytes, until);
  if (kLog.enabled(LogLevel::kDebug)) {
    const auto took =
        std::chrono::duration_cast<std::chrono::microseconds>(clock_.steady() - begin);
    kLog.debug("runtime call", {{"method", method}, {"micros", took.count()}});
  }
  return answer;
}

Result<Document> CriRuntime::ask(std::string_view service, std::string_view method,
                                 const Document& request, const Until& until) {
  const Bytes answer = TRY(send(service, method, request, within(until, kUsual)));
  const api::Schema& schema = api::cri_schema();
  const api::Type* type = schema.find_openapi(fmt::format("runtime.v1.{}Response", method));
  CHECK(type != nullptr);
  auto read = api::from_protobuf(answer.view(), *type, schema);
  if (!read.ok()) return Status(Reason::kInternalError, read.status().message()).in(method);
  return read;
}

Result<void> CriRuntime::tell(std::string_view service, std::string_view method,
                              const Document& request, const Until& until) {
  TRY(send(service, method, request, within(until, kUsual)));
  return {};
}

Result<std::string> CriRuntime::ask_text(std::string_view service, std::string_view method,
                                         const Document& request, std::string_view field,
                                         const Until& until) {
  const Document answer = TRY(ask(service, method, request, until));
  const std::string_view text = View(answer.root())[field].text();
  if (text.empty())
    return Status(Reason::kInternalError, fmt::format("{}: {} is not set", method, field));
  return std::string(text);
}

Result<RuntimeVersion> CriRuntime::version(const Until& until) {
  const Document answer = TRY(ask(kRuntime, "Version", message("version", "v1"), until));
  const View root = answer.root();
  return RuntimeVersion{.name = std::string(root["runtime_name"].text()),
                        .version = std::string(root["runtime_version"].text()),
                        .api_version = std::string(root["runtime_api_version"].text())};
}

Result<RuntimeReadiness> CriRuntime::readiness(const Until& until) {
  const Document answer = TRY(ask(kRuntime, "Status", message(), until));
  return read_readiness(answer.root());
}

Result<void> CriRuntime::set_pod_cidr(const std::string& cidr, const Until& until) {
  Document request = message();
  Edit(request).object("runtime_config").object("network_config").set("pod_cidr", cidr);
  return tell(kRuntime, "UpdateRuntimeConfig", request, until);
}

Result<std::string> CriRuntime::run_sandbox(const json::Value& config, const std::string& handler,
                                            const Until& until) {
  Document request = message("runtime_handler", handler);
  Edit(request).copy("config", config);
  return ask_text(kRuntime, "RunPodSandbox", request, "pod_sandbox_id", within(until, kSandbox));
}

Result<void> CriRuntime::stop_sandbox(const std::string& id, const Until& until) {
  return unless_gone(tell(kRuntime, "StopPodSandbox", message("pod_sandbox_id", id), until));
}

Result<void> CriRuntime::remove_sandbox(const std::string& id, const Until& until) {
  return unless_gone(tell(kRuntime, "RemovePodSandbox", message("pod_sandbox_id", id), until));
}

Result<Sandbox> CriRuntime::sandbox(const std::string& id, const Until& until) {
  const Document answer =
      TRY(ask(kRuntime, "PodSandboxStatus", message("pod_sandbox_id", id), until));
  const View status = View(answer.root())["status"];
  if (!status.exists()) return Status(Reason::kInternalError, "pod sandbox status is nil");
  return read_sandbox(status);
}

Result<std::vector<Sandbox>> CriRuntime::sandboxes(api::UidView pod_uid, const Until& until) {
  Document request = message();
  if (!pod_uid.empty())
    Edit(request).object("filter").object("label_selector").set(kPodUid, pod_uid.view());
  const Document answer = TRY(ask(kRuntime, "ListPodSandbox", request, until));
  std::vector<Sandbox> found;
  for (const View item : View(answer.root())["items"].items()) found.push_back(read_sandbox(item));
  return found;
}

Result<std::string> CriRuntime::create_container(const std::string& sandbox_id,
                                                 const json::Value& config,
                                                 const json::Value& sandbox_config,
                                                 const Until& until) {
  Document request = message("pod_sandbox_id", sandbox_id);
  Edit(request).copy("config", config);
  Edit(request).copy("sandbox_config", sandbox_config);
  return ask_text(kRuntime, "CreateContainer", request, "container_id", until);
}

Result<void> CriRuntime::start_container(const std::string& id, const Until& until) {
  return tell(kRuntime, "StartContainer", message("container_id", id), until);
}

Result<void> CriRuntime::stop_container(const std::string& id, Duration grace, const Until& until) {
  Document request = message("container_id", id);
  Edit(request).set("timeout", whole_seconds(std::max(grace, Duration(0))));
  return unless_gone(tell(kRuntime, "StopContainer", request, within(until, grace + kUsual)));
}

Result<void> CriRuntime::remove_container(const std::string& id, const Until& until) {
  return unless_gone(tell(kRuntime, "RemoveContainer", message("container_id", id), until));
}

Result<Container> CriRuntime::container(const std::string& id, const Until& until) {
  const Document answer = TRY(ask(kRuntime, "ContainerStatus", message("container_id", id), until));
  const View status = View(answer.root())["status"];
  if (!status.exists()) return Status(Reason::kInternalError, "container status is nil");
  return read_container(status);
}

Result<std::vector<Container>> CriRuntime::containers(const ContainerFilter& filter,
                                                      const Until& until) {
  Document request = message();
  const Edit wanted = Edit(request).object("filter");
  wanted.set("id", filter.id);
  wanted.set("pod_sandbox_id", filter.sandbox_id);
  if (!filter.pod_uid.empty()) wanted.object("label_selector").set(kPodUid, filter.pod_uid.view());
  const Document answer = TRY(ask(kRuntime, "ListContainers", request, until));
  std::vector<Container> found;
  for (const View item : View(answer.root())["containers"].items())
    found.push_back(read_container(item));
  return found;
}

Result<void> CriRuntime::update_resources(const std::string& id, const json::Value& resources,
                                          const Until& until) {
  Document request = message("container_id", id);
  Edit(request).copy("linux", resources);
  return tell(kRuntime, "UpdateContainerResources", request, until);
}

Result<void> CriRuntime::reopen_log(const std::string& id, const Until& until) {
  return tell(kRuntime, "ReopenContainerLog", message("container_id", id), until);
}

Result<ExecResult> CriRuntime::exec(const std::string& id, const std::vector<std::string>& command,
                                    Duration timeout, const Until& until) {
  Document request = message("container_id", id);
  put_words(Edit(request).array("cmd"), command);
  Edit(request).set("timeout", whole_seconds(timeout));
  const Until limit = timeout == Duration(0) ? until : within(until, timeout + kUsual);
  const auto answer = send(kRuntime, "ExecSync", request, limit);
  if (answer.is(Reason::kTimeout)) {
    return Status(Reason::kTimeout,
                  fmt::format("command timed out: {} timed out after {}",
                              api::quoted(join(command, " ")), format_duration(timeout)));
  }
  if (!answer.ok()) return answer.status();
  return read_exec_result(answer->view());
}

Result<std::string> CriRuntime::exec_url(const std::string& id,
                                         const std::vector<std::string>& command,
                                         const StreamChoices& choices, const Until& until) {
  Document request = message("container_id", id);
  const Edit fields(request);
  put_words(fields.array("cmd"), command);
  fields.set("tty", choices.tty);
  fields.set("stdin", choices.input);
  fields.set("stdout", choices.output);
  fields.set("stderr", choices.errors);
  return ask_text(kRuntime, "Exec", request, "url", until);
}

Result<std::string> CriRuntime::attach_url(const std::string& id, const StreamChoices& choices,
                                           const Until& until) {
  Document request = message("container_id", id);
  const Edit fields(request);
  fields.set("tty", choices.tty);
  fields.set("stdin", choices.input);
  fields.set("stdout", choices.output);
  fields.set("stderr", choices.errors);
  return ask_text(kRuntime, "Attach", request, "url", until);
}

Result<std::string> CriRuntime::port_forward_url(const std::string& sandbox_id,
                                                 const std::vector<int32_t>& ports,
                                                 const Until& until) {
  Document request = message("pod_sandbox_id", sandbox_id);
  const Edit list = Edit(request).array("port");
  for (const int32_t port : ports) list.push(json::Value::integer(port));
  return ask_text(kRuntime, "PortForward", request, "url", until);
}

Result<std::optional<Image>> CriRuntime::image(const std::string& reference, const Until& until) {
  const Document answer = TRY(ask(kImages, "ImageStatus", image_message(reference), until));
  const View found = View(answer.root())["image"];
  if (!found.exists()) return std::optional<Image>();
  if (found["id"].text().empty() || found["size"].integer() == 0) {
    return Status(Reason::kInternalError,
                  fmt::format("Id or size of image {} is not set", api::quoted(reference)));
  }
  return std::optional(read_image(found));
}

Result<std::vector<Image>> CriRuntime::images(const Until& until) {
  const Document answer = TRY(ask(kImages, "ListImages", message(), until));
  std::vector<Image> found;
  for (const View item : View(answer.root())["images"].items()) found.push_back(read_image(item));
  return found;
}

Result<std::string> CriRuntime::pull_image(const std::string& reference,
                                           const PullCredentials& credentials,
                                           const json::Value& sandbox_config, const Until& until) {
  Document request = image_message(reference);
  const Edit fields(request);
  fields.copy("sandbox_config", sandbox_config);
  const std::pair<std::string_view, const std::string&> secrets[] = {
      {"username", credentials.user},
      {"password", credentials.password},
      {"auth", credentials.auth},
      {"server_address", credentials.server},
      {"identity_token", credentials.identity_token},
      {"registry_token", credentials.registry_token}};
  for (const auto& [name, value] : secrets) {
    if (!value.empty()) fields.object("auth").set(name, value);
  }
  // No deadline: runtimes give up by themselves when a pull makes no progress.
  const Bytes bytes = TRY(send(kImages, "PullImage", request, until));
  const api::Schema& schema = api::cri_schema();
  const Document answer = TRY(api::from_protobuf(
      bytes.view(), *schema.find_openapi("runtime.v1.PullImageResponse"), schema));
  const std::string_view resolved = View(answer.root())["image_ref"].text();
  if (resolved.empty()) {
    return Status(Reason::kInternalError,
                  fmt::format("imageRef of image {} is not set", api::quoted(reference)));
  }
  return std::string(resolved);
}

Result<void> CriRuntime::remove_image(const std::string& reference, const Until& until) {
  return unless_gone(tell(kImages, "RemoveImage", image_message(reference), until));
}

Result<std::vector<FilesystemUse>> CriRuntime::image_filesystems(const Until& until) {
  const Document answer = TRY(ask(kImages, "ImageFsInfo", message(), until));
  std::vector<FilesystemUse> found;
  for (const View item : View(answer.root())["image_filesystems"].items())
    found.push_back(read_filesystem(item));
  return found;
}

}  // namespace cri_runtime

std::unique_ptr<Runtime> connect_runtime(http::Client& client, std::string socket) {
  return connect_runtime(client, http::Origin::unix_socket(std::move(socket)));
}

std::unique_ptr<Runtime> connect_runtime(http::Client& client, http::Origin origin) {
  return std::make_unique<cri_runtime::CriRuntime>(client, std::move(origin));
}

}  // namespace proa::kubelet::cri
