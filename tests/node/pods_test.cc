// Pods checked inside their containers: commands, environment, and what they know about themselves.

#include "shared_cluster.h"

namespace proa::node_tests {
namespace {

using testing::HasSubstr;
using testing::Not;

class PodsTest : public SharedCluster {};

TEST_F(PodsTest, AnswerFromTheirOwnAddress) {
  cluster_->ask("run hello --image=proa/hello:1");
  ASSERT_TRUE(cluster_->wait("hello"));
  const std::string address = field("hello", "status.podIP");
  EXPECT_EQ(e2e::run_shell("curl -sS -m 5 http://" + address + ":8080/").text,
            "Hello from hello, run by Proa.\n");
}

TEST_F(PodsTest, AnswerOnPortsOfTheNode) {
  const std::string port = std::to_string(testkit::free_port());
  cluster_->apply(
      "{apiVersion: v1, kind: Pod, metadata: {name: on-port}, spec: {containers: [{name: main, "
      "image: 'proa/hello:1', ports: [{containerPort: 8080, hostPort: " +
      port + "}]}]}}");
  ASSERT_TRUE(cluster_->wait("on-port"));
  EXPECT_EQ(
      e2e::run_shell("curl -sS -m 10 http://" + field("on-port", "status.hostIP") + ":" + port)
          .text,
      "Hello from on-port, run by Proa.\n");
  // A host port is exclusive.
  cluster_->apply("{apiVersion: v1, kind: Pod, metadata: {name: too-late}, spec: {nodeName: " +
                  field("on-port", "spec.nodeName") +
                  ", containers: [{name: main, image: 'proa/hello:1', ports: [{containerPort: "
                  "8080, hostPort: " +
                  port + "}]}]}}");
  EXPECT_TRUE(becomes("too-late", "status.reason", "NodePorts"));
}

TEST_F(PodsTest, HaveVariablesFromAllSources) {
  cluster_->apply(R"(
{apiVersion: v1, kind: List, items: [
  {apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {COLOR: red, SIZE: big}},
  {apiVersion: v1, kind: Secret, metadata: {name: keys}, stringData: {KEY: hush, SIZE: small}},
]})");
  const std::string output = output_of("variables", "env | sort",
                                       {.container = R"(
envFrom: [{configMapRef: {name: settings}}, {secretRef: {name: keys}},
          {prefix: P_, configMapRef: {name: settings}},
          {configMapRef: {name: nowhere, optional: true}}],
env: [{name: PLAIN, value: text},
      {name: FROM_MAP, valueFrom: {configMapKeyRef: {name: settings, key: COLOR}}},
      {name: FROM_SECRET, valueFrom: {secretKeyRef: {name: keys, key: KEY}}},
      {name: NO_KEY, valueFrom: {secretKeyRef: {name: keys, key: none, optional: true}}},
      {name: POD, valueFrom: {fieldRef: {fieldPath: metadata.name}}},
      {name: SPACE, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}},
      {name: LABEL, valueFrom: {fieldRef: {fieldPath: "metadata.labels['app']"}}},
      {name: NOTE, valueFrom: {fieldRef: {fieldPath: "metadata.annotations['note']"}}},
      {name: ADDRESS, valueFrom: {fieldRef: {fieldPath: status.podIP}}},
      {name: ACCOUNT, valueFrom: {fieldRef: {fieldPath: spec.serviceAccountName}}},
      {name: CPU, valueFrom: {resourceFieldRef: {resource: limits.cpu, divisor: 1m}}},
      {name: MEMORY, valueFrom: {resourceFieldRef: {resource: requests.memory, divisor: 1Mi}}},
      {name: COLOR, value: blue},
      {name: JOINED, value: '$(PLAIN)-$(COLOR)-$(P_SIZE)-$$(PLAIN)-$(UNKNOWN)'},
      {name: HOST, value: '$(KUBERNETES_SERVICE_HOST)'}],
resources: {requests: {memory: 5Mi}, limits: {cpu: 250m, memory: 64Mi}})",
                                        .labels = "app: shop",
                                        .annotations = "note: 'two words'"});
  const std::string lines = "\n" + output + "\n";
  const std::string service = cluster_->ask("get service kubernetes -o jsonpath={.spec.clusterIP}");
  for (const std::string& line :
       std::vector<std::string>{"PLAIN=text",
                                "FROM_MAP=red",
                                "FROM_SECRET=hush",
                                "POD=variables",
                                "SPACE=default",
                                "LABEL=shop",
                                "NOTE=two words",
                                "ADDRESS=" + field("variables", "status.podIP"),
                                "ACCOUNT=default",
                                "CPU=250",
                                "MEMORY=5",
                                "COLOR=blue",
                                "KEY=hush",
                                "SIZE=small",
                                "P_COLOR=red",
                                "P_SIZE=big",
                                "JOINED=text-blue-big-$(PLAIN)-$(UNKNOWN)",
                                "HOST=" + service,
                                "PATH=/bin",
                                "HOSTNAME=variables"}) {
    EXPECT_THAT(lines, HasSubstr("\n" + line + "\n"));
  }
  EXPECT_THAT(lines, Not(HasSubstr("NO_KEY")));
}

TEST_F(PodsTest, HaveVariablesAboutTheServicesOfTheirNamespace) {
  cluster_->apply(R"(
{apiVersion: v1, kind: Service, metadata: {name: my-shop},
 spec: {selector: {a: b}, ports: [{name: web, port: 80}, {name: dns, port: 53, protocol: UDP}]}})");
  const std::string address = cluster_->ask("get service my-shop -o jsonpath={.spec.clusterIP}");
  const std::string all = output_of("links", "env | sort", {});
  for (const std::string& line : std::vector<std::string>{
           "MY_SHOP_SERVICE_HOST=" + address, "MY_SHOP_SERVICE_PORT=80",
           "MY_SHOP_SERVICE_PORT_WEB=80", "MY_SHOP_SERVICE_PORT_DNS=53",
           "MY_SHOP_PORT=tcp://" + address + ":80", "MY_SHOP_PORT_80_TCP=tcp://" + address + ":80",
           "MY_SHOP_PORT_80_TCP_PROTO=tcp", "MY_SHOP_PORT_80_TCP_PORT=80",
           "MY_SHOP_PORT_80_TCP_ADDR=" + address, "MY_SHOP_PORT_53_UDP=udp://" + address + ":53"}) {
    EXPECT_THAT(all + "\n", HasSubstr(line + "\n"));
  }
  const std::string few = output_of("no-links", "env", {.spec = "enableServiceLinks: false"});
  EXPECT_THAT(few, Not(HasSubstr("MY_SHOP")));
  EXPECT_THAT(few, HasSubstr("KUBERNETES_SERVICE_PORT=443"));
}

TEST_F(PodsTest, HaveVariablesFromFilesThatInitContainersWrite) {
  const std::string writer = container("write", "echo \"LOG='debug'\" > /made/all.env",
                                       "volumeMounts: [{name: made, mountPath: /made}]");
  const std::string output = output_of("file-variables", "echo $LEVEL",
                                       {.container = R"(
env: [{name: LEVEL, valueFrom: {fileKeyRef: {volumeName: made, path: all.env, key: LOG}}}])",
                                        .spec = R"(
volumes: [{name: made, emptyDir: {}}], initContainers: [)" +
                                                writer + "]"});
  EXPECT_EQ(output, "debug");
}

TEST_F(PodsTest, WaitForTheConfigMapThatAVariableNeeds) {
  cluster_->apply(pod("waiting", "echo $COLOR", {.container = R"(
env: [{name: COLOR, valueFrom: {configMapKeyRef: {name: later, key: COLOR}}}])"}));
  const std::string state = "status.containerStatuses[0].state.waiting";
  ASSERT_TRUE(becomes("waiting", state + ".reason", "CreateContainerConfigError"));
  EXPECT_EQ(field("waiting", state + ".message"), "configmap \"later\" not found");
  cluster_->ask("create configmap later --from-literal=COLOR=green");
  ASSERT_TRUE(becomes("waiting", "status.phase", "Succeeded"));
  EXPECT_EQ(cluster_->ask("logs waiting"), "green");
}

TEST_F(PodsTest, RunTheirCommandWithItsArguments) {
  struct Case {
    std::string name;
    std::string fields;  // of the container
    std::string output;
  };
  for (const Case& c : std::vector<Case>{
           {"arguments", "command: [echo, 'a  b'], args: [$(WORD), $$(WORD), $(NONE)]",
            "a  b hop $(WORD) $(NONE)"},
           // The image's own command, sh, is dropped if there are arguments.
           {"arguments-only", "args: [echo, from, args]", "from args"},
           {"folder", "command: [pwd], workingDir: /tmp", "/tmp"},
       }) {
    cluster_->apply(R"({apiVersion: v1, kind: Pod, metadata: {name: )" + c.name + R"(}, spec: {
restartPolicy: Never, containers: [{name: main, image: 'busybox:1', env: [{name: WORD, value: hop}],
)" + c.fields + "}]}}");
    cluster_->wait(c.name, "jsonpath={.status.phase}=Succeeded");
    EXPECT_EQ(cluster_->ask("logs " + c.name), c.output) << c.name;
  }
}

TEST_F(PodsTest, FailWithAMessageWhenTheCommandIsNotThere) {
  cluster_->apply(R"({apiVersion: v1, kind: Pod, metadata: {name: no-command}, spec: {
restartPolicy: Never, containers: [{name: main, image: 'busybox:1', command: [/no/such]}]}})");
  ASSERT_TRUE(becomes("no-command", "status.phase", "Failed"));
  const std::string state = "status.containerStatuses[0].state.terminated";
  EXPECT_EQ(field("no-command", state + ".reason"), "StartError");
  EXPECT_EQ(field("no-command", state + ".exitCode"), "128");
  EXPECT_THAT(field("no-command", state + ".message"),
              testing::ContainsRegex("[Nn]o such file or directory"));
}

TEST_F(PodsTest, KnowTheirNames) {
  const std::string script = "hostname; hostname -f; cat /etc/hosts; cat /etc/hostname";
  const std::string output = output_of("names", script, {.spec = R"(
hostname: box, subdomain: boxes,
hostAliases: [{ip: 1.2.3.4, hostnames: [one, two]}, {ip: 1.2.3.5, hostnames: [five]}])"});
  const std::string full = "box.boxes.default.svc.cluster.local";
  EXPECT_EQ(output, "box\n" + full + R"(
# Kubernetes-managed hosts file.
127.0.0.1	localhost
::1	localhost ip6-localhost ip6-loopback
fe00::0	ip6-localnet
fe00::0	ip6-mcastprefix
fe00::1	ip6-allnodes
fe00::2	ip6-allrouters
)" + field("names", "status.podIP") +
                        "\t" + full + R"(	box

# Entries added by HostAliases.
1.2.3.4	one	two
1.2.3.5	five
box)");
}

TEST_F(PodsTest, AreCalledByTheirFullNameWhereTheyAskForIt) {
  EXPECT_EQ(output_of("full-name", "hostname; echo $HOSTNAME",
                      {.spec = "subdomain: boxes, setHostnameAsFQDN: true"}),
            "full-name.boxes.default.svc.cluster.local\nfull-name.boxes.default.svc.cluster.local");
  // A name longer than the kernel's 64 characters is rejected.
  cluster_->apply(pod("long-name", "true",
                      {.spec = "setHostnameAsFQDN: true, subdomain: " + std::string(60, 'a')}));
  EXPECT_THAT(event("long-name", "FailedCreatePodSandBox"),
              HasSubstr("Failed to create pod sandbox: failed to construct FQDN from pod hostname "
                        "and cluster domain, FQDN long-name." +
                        std::string(60, 'a') +
                        ".default.svc.cluster.local is too long (64 characters is the max, 96 "
                        "characters requested)"));
}

TEST_F(PodsTest, HaveTheHostnameThatOverridesAllOthers) {
  EXPECT_EQ(output_of("renamed", "hostname", {.spec = "hostnameOverride: other.example"}),
            "other.example");
}

TEST_F(PodsTest, ResolveNamesAsTheyAreTold) {
  EXPECT_EQ(output_of("own-dns", "cat /etc/resolv.conf", {.spec = R"(
dnsPolicy: None,
dnsConfig: {nameservers: [10.1.1.1, 10.1.1.2], searches: [one.example, two.example],
            options: [{name: ndots, value: '2'}, {name: edns0}]})"}),
            "search one.example two.example\nnameserver 10.1.1.1\nnameserver 10.1.1.2\n"
            "options ndots:2 edns0");
  EXPECT_THAT(output_of("node-dns", "cat /etc/resolv.conf", {.spec = R"(
dnsPolicy: Default, dnsConfig: {searches: [more.example]})"}),
              HasSubstr("more.example"));
}

}  // namespace
}  // namespace proa::node_tests
