"""The steps of the helm suite. A step checks what helm prints and what the server holds then; later steps may build on it."""

import base64
import json
import os

SHOP = "shop-shop"  # what the chart calls most objects


def chart_tools(t):
    """lint, dependency update, package, a repository, show, pull."""
    t.helm("dependency", "update", "store")
    t.helm("dependency", "update", "shop")
    t.expect_in("dependency list", "common", t.helm("dependency", "list", "shop"))
    t.helm("lint", "shop", "--strict")
    folder = os.path.join(t.folder, "repository")
    os.makedirs(folder)
    t.helm("package", "shop", "-d", folder)
    t.helm("package", "shop", "-d", folder, "--version", "1.1.0", "--app-version", "2.6")
    t.helm("package", "small", "-d", folder)
    t.helm("repo", "index", folder, "--url", t.serve(folder))
    t.helm("repo", "add", "ours", t.url)
    t.helm("repo", "update")
    found = json.loads(t.helm("search", "repo", "ours/shop", "--versions", "-o", "json"))
    t.expect("versions", [entry["version"] for entry in found], ["1.1.0", "1.0.0"])
    t.expect_in("show", "appVersion: \"2.6\"", t.helm("show", "chart", "ours/shop"))
    t.helm("pull", "ours/shop", "--version", "1.0.0", "--untar", "-d", os.path.join(t.folder, "pulled"))


def template_of_the_server(t):
    """template --dry-run=server: lookups and capabilities are the server's."""
    text = t.helm("template", "shop", "shop", "--dry-run=server", "-n", "default", "--include-crds", "--set", "item=null")
    version = json.loads(t.kubectl("version", "-o", "json"))["serverVersion"]["gitVersion"]
    t.expect_in("version", f'kubernetes: "{version}"', text)
    t.expect_in("capabilities", 'knows: "true"', text)
    t.expect_in("lookup of a list", f'namespaces: "{len(t.names("namespaces", "default"))}"', text)
    t.expect_in("crds", "kind: CustomResourceDefinition", text)
    t.expect_in("template of the client", 'namespaces: "0"', t.helm("template", "shop", "shop"))


def install_dry_run(t):
    """install --dry-run=server renders with the server, validates, and creates nothing."""
    text = t.helm("install", "small", "small", "-n", "default", "--dry-run=server", "--hide-secret")
    t.expect_in("manifest", "replicas: 1", text)
    t.expect("objects", t.get("deployment", "small", "default"), None)
    t.expect("releases", json.loads(t.helm("list", "-n", "default", "-o", "json")), [])


def install(t):
    """install with a definition, subcharts, hooks and --wait."""
    text = t.helm("install", "shop", "ours/shop", "--version", "~1.0", "-n", "shop", "--create-namespace", "--wait", "--wait-for-jobs",
                  "--timeout", "90s", "--labels", "tier=front", "--description", "the first", "--render-subchart-notes")
    t.expect_in("notes", "shop 2.5 runs in shop, revision 1", text)
    t.expect_in("notes of the subchart", "shop-cache listens on 6400", text)
    t.expect("history", t.history("shop"), [(1, "deployed")])
    deployment = t.get("deployment", SHOP, "shop")
    t.expect("ready", deployment["status"]["readyReplicas"], 2)
    t.expect("labels", deployment["metadata"]["labels"]["team"], "blue")
    t.expect("owner", deployment["metadata"]["annotations"]["meta.helm.sh/release-name"], "shop")
    managers = [(entry["manager"], entry["operation"]) for entry in deployment["metadata"]["managedFields"]]
    t.expect("helm applies", ("helm", "Apply") in managers, True)
    config = t.get("configmap", SHOP, "shop")["data"]
    t.expect("import-values, tpl, files, release", [config[key] for key in ("storePort", "greeting", "words", "words.txt", "revision", "upgrade")],
             ["6400", "hello from shop", "first\nsecond\n", "first\nsecond\n", "1", "false"])
    t.expect("subcharts", t.names("statefulsets", "shop"), ["shop-cache"])
    t.expect("custom resource", t.get("items.shop.example.invalid", SHOP, "shop")["spec"], {"size": "small", "count": 1})
    for kind in ("pdb", "hpa", "ingress", "networkpolicy", "cronjob", "role", "rolebinding", "serviceaccount", "secret", "service"):
        t.expect(kind, t.get(kind, SHOP, "shop") is not None, True)


def hooks_of_install(t):
    """Hooks run by weight and event, and are deleted as their policy says."""
    t.expect("jobs", sorted(t.names("jobs", "shop")), ["shop-post-install", "shop-pre-install", SHOP + "-load-1"])
    t.expect("deleted", t.get("configmap", "shop-gone", "shop"), None)
    times = [t.get(kind, name, "shop")["metadata"]["creationTimestamp"] for kind, name in
             (("configmap", "shop-first"), ("job", "shop-pre-install"), ("deployment", SHOP), ("job", "shop-post-install"))]
    t.expect("order", times, sorted(times))
    t.expect("status", t.get("job", "shop-post-install", "shop")["status"]["succeeded"], 1)


def queries(t):
    """get, status, list with filters and selectors, history; where a release is kept."""
    t.expect("values", json.loads(t.helm("get", "values", "shop", "-n", "shop", "-o", "json")), None)
    t.expect("all values", json.loads(t.helm("get", "values", "shop", "-n", "shop", "-a", "-o", "json"))["replicas"], 2)
    t.expect_in("manifest", "kind: Deployment", t.helm("get", "manifest", "shop", "-n", "shop"))
    t.expect_in("hooks", "shop-pre-install", t.helm("get", "hooks", "shop", "-n", "shop"))
    t.expect_in("notes", "revision 1", t.helm("get", "notes", "shop", "-n", "shop"))
    t.expect("metadata", json.loads(t.helm("get", "metadata", "shop", "-n", "shop", "-o", "json"))["version"], "1.0.0")
    status = t.release("shop")
    t.expect("description", status["info"]["description"], "the first")
    t.expect_in("resources of status", "v1/Pod(related)", status["info"]["resources"])
    for arguments, want in ((["-A"], 1), (["-n", "shop", "-l", "tier=front"], 1), (["-n", "shop", "-l", "tier=back"], 0),
                            (["-n", "shop", "--filter", "^sh"], 1), (["-n", "shop", "--failed"], 0)):
        t.expect(f"list {arguments}", len(json.loads(t.helm("list", *arguments, "-o", "json"))), want)
    secret = t.get("secret", "sh.helm.release.v1.shop.v1", "shop")
    t.expect("kept in", (secret["type"], secret["metadata"]["labels"]["status"]), ("helm.sh/release.v1", "deployed"))


def tests(t):
    """helm test runs pods, all or by a filter."""
    t.expect_in("test", "Phase:          Succeeded", t.helm("test", "shop", "-n", "shop", "--timeout", "60s"))
    t.expect("pods", t.get("pod", "shop-test-two", "shop")["status"]["phase"], "Succeeded")
    t.helm("test", "shop", "-n", "shop", "--filter", "name=shop-test-one", "--timeout", "60s")


def upgrade(t):
    """upgrade: what the chart no longer has is deleted, what is to be kept stays; a lookup keeps the password."""
    password = t.get("secret", SHOP, "shop")["data"]["password"]
    t.helm("upgrade", "shop", "ours/shop", "--version", "1.1.0", "-n", "shop", "--wait", "--timeout", "90s", "--set",
           "replicas=3,extras=false,keep=false,item.size=large,tags.archives=true,cache.enabled=false")
    t.expect("history", t.history("shop"), [(1, "superseded"), (2, "deployed")])
    t.expect("replicas", t.get("deployment", SHOP, "shop")["status"]["readyReplicas"], 3)
    t.expect("password", t.get("secret", SHOP, "shop")["data"]["password"], password)
    t.expect("kept", t.get("configmap", SHOP + "-kept", "shop") is not None, True)
    t.expect("custom resource", t.get("items.shop.example.invalid", SHOP, "shop")["spec"]["size"], "large")
    t.expect("tags and conditions", t.names("statefulsets", "shop"), ["shop-archive"])
    t.expect("deleted", [t.get(kind, SHOP, "shop") for kind in ("pdb", "hpa", "ingress", "networkpolicy", "cronjob")], [None] * 5)
    t.wait("the Job's pods are gone", lambda: not any("load" in name for name in t.names("pods", "shop")))
    t.expect("hooks", [t.get("job", "shop-" + event, "shop") is not None for event in ("pre-upgrade", "post-upgrade")], [True, True])
    t.expect("release", t.get("configmap", SHOP, "shop")["data"]["upgrade"], "true")


def upgrade_values(t):
    """--reuse-values, --reset-then-reuse-values, --reset-values."""
    def upgraded(*arguments):
        t.helm("upgrade", "shop", "ours/shop", "-n", "shop", "--no-hooks", *arguments)
        return t.get("deployment", SHOP, "shop")["spec"]["replicas"]
    t.expect("reuse", upgraded("--reuse-values", "--set", "item.size=medium"), 3)
    t.expect("custom resource", t.get("items.shop.example.invalid", SHOP, "shop")["spec"]["size"], "medium")
    t.expect("reset, then reuse", upgraded("--reset-then-reuse-values"), 3)
    t.expect("reset", upgraded("--reset-values", "--set", "keep=false"), 2)
    t.expect("back", t.get("pdb", SHOP, "shop") is not None, True)


def upgrade_dry_run(t):
    """upgrade --dry-run=server changes nothing; what the server refuses fails the upgrade."""
    before = t.get("deployment", SHOP, "shop")["metadata"]["resourceVersion"]
    revisions = len(t.history("shop"))
    text = t.helm("upgrade", "shop", "shop", "-n", "shop", "--dry-run=server", "--set", "replicas=5")
    t.expect_in("manifest", "replicas: 5", text)
    t.expect("deployment", t.get("deployment", SHOP, "shop")["metadata"]["resourceVersion"], before)
    t.expect("history", len(t.history("shop")), revisions)
    t.helm("upgrade", "shop", "shop", "-n", "shop", "--no-hooks", "--set", "service.type=Other", fails='spec.type: Unsupported value: "Other"')
    t.helm("upgrade", "shop", "shop", "-n", "shop", "--no-hooks", "--set", "keep=false,service.type=NodePort")
    t.expect("port", t.get("service", SHOP, "shop")["spec"]["ports"][0]["nodePort"] >= 30000, True)


def schema(t):
    """values.schema.json, the definition's schema, required values, the chart's wish for a version."""
    t.helm("upgrade", "shop", "shop", "-n", "shop", "--set", "replicas=10", fails="maximum")
    t.helm("upgrade", "shop", "shop", "-n", "shop", "--skip-schema-validation", "--set", "item.size=huge", "--no-hooks",
           fails=r'spec\.size: Unsupported value: "huge"')
    t.expect("failed", t.history("shop")[-1][1], "failed")
    t.helm("upgrade", "shop", "shop", "-n", "shop", "--no-hooks", "--set", "keep=false")
    t.expect("deployed", t.history("shop")[-1][1], "deployed")


def rollback(t):
    """rollback to a revision, with its hooks; --dry-run; the revision before."""
    t.helm("rollback", "shop", "1", "-n", "shop", "--dry-run=server")
    t.helm("rollback", "shop", "1", "-n", "shop", "--wait", "--timeout", "90s")
    history = t.history("shop")
    t.expect("deployed", [status for _, status in history].count("deployed"), 1)
    last = json.loads(t.helm("history", "shop", "-n", "shop", "-o", "json"))[-1]
    t.expect("description", last["description"], "Rollback to 1")
    t.expect("hooks", [t.get("job", "shop-" + event, "shop") is not None for event in ("pre-rollback", "post-rollback")], [True, True])
    t.expect("custom resource", t.get("items.shop.example.invalid", SHOP, "shop")["spec"]["size"], "small")
    t.expect("revision in the object", t.get("configmap", SHOP, "shop")["data"]["revision"], "1")
    t.helm("rollback", "shop", "-n", "shop", "--no-hooks")
    t.helm("rollback", "shop", "99", "-n", "shop", fails="release has no 99 version")


def rollback_on_failure(t):
    """upgrade --rollback-on-failure: pods that never become ready bring the old revision back."""
    t.helm("upgrade", "shop", "shop", "-n", "shop", "--rollback-on-failure", "--cleanup-on-fail", "--timeout", "6s", "--no-hooks",
           "--set", "outcome=wait,image=shop:2,replicas=3", fails="rolled back|rollback")
    t.expect("history", [status for _, status in t.history("shop")[-2:]], ["failed", "deployed"])
    t.expect("image", t.get("deployment", SHOP, "shop")["spec"]["template"]["spec"]["containers"][0]["image"], "shop:1")


def failing_hook(t):
    """A hook that fails fails the upgrade before anything changes; the next one succeeds."""
    t.helm("upgrade", "shop", "shop", "-n", "shop", "--timeout", "20s", "--set", "hooks.outcome=fail,replicas=7", fails="pre-upgrade hooks failed")
    t.expect("failed", t.history("shop")[-1][1], "failed")
    t.expect("deployment", t.get("deployment", SHOP, "shop")["spec"]["replicas"] == 7, False)
    t.helm("upgrade", "shop", "shop", "-n", "shop", "--timeout", "60s", "--wait")
    t.expect("deployed", t.history("shop")[-1][1], "deployed")


def failing_test(t):
    """helm test with a pod that fails."""
    t.helm("upgrade", "shop", "shop", "-n", "shop", "--no-hooks", "--reuse-values", "--set", "tests.outcome=fail")
    t.helm("test", "shop", "-n", "shop", "--timeout", "30s", fails="shop-test-two")


def history_max(t):
    """--history-max deletes old revisions."""
    t.helm("upgrade", "shop", "shop", "-n", "shop", "--history-max", "3", "--no-hooks")
    t.expect("revisions", len(t.history("shop")), 3)
    t.expect("secrets", len([name for name in t.names("secrets", "shop") if name.startswith("sh.helm.release")]), 3)


def conflicts(t):
    """Someone else applies a field: a conflict that names the manager, and --force-conflicts."""
    t.helm("install", "small", "small", "-n", "small", "--create-namespace", "--wait")
    t.kubectl("apply", "--server-side", "--force-conflicts", "--field-manager=someone", "-n", "small", "-f", "-",
              given=json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "small"}, "data": {"word": "mine"}}))
    t.helm("upgrade", "small", "small", "-n", "small", "--set", "word=two", fails='conflict with "someone"')
    t.helm("upgrade", "small", "small", "-n", "small", "--set", "word=two", "--force-conflicts")
    t.expect("word", t.get("configmap", "small", "small")["data"]["word"], "two")


def drift(t):
    """Without a conflict: what was deleted by hand comes back."""
    t.kubectl("delete", "configmap", "small", "-n", "small")
    t.helm("upgrade", "small", "small", "-n", "small", "--set", "word=two")
    t.expect("word", t.get("configmap", "small", "small")["data"]["word"], "two")


def client_side(t):
    """--server-side=false: create and three-way merge by the client; then on to apply, and back."""
    t.helm("install", "plain", "small", "-n", "plain", "--create-namespace", "--server-side=false", "--wait=legacy", "--timeout", "60s")
    managers = t.get("configmap", "plain", "plain")["metadata"]["managedFields"]
    t.expect("manager", [(entry["manager"], entry["operation"]) for entry in managers], [("helm", "Update")])
    t.kubectl("scale", "deployment", "plain", "-n", "plain", "--replicas=4")
    t.helm("upgrade", "plain", "small", "-n", "plain", "--server-side=auto", "--set", "word=two")
    t.expect("three-way merge leaves what nobody changed in the chart", t.get("deployment", "plain", "plain")["spec"]["replicas"], 1)
    t.helm("upgrade", "plain", "small", "-n", "plain", "--server-side=true", "--force-conflicts", "--set", "word=three")
    t.expect("word", t.get("configmap", "plain", "plain")["data"]["word"], "three")
    t.helm("rollback", "plain", "1", "-n", "plain", "--server-side=false")
    t.expect("word", t.get("configmap", "plain", "plain")["data"]["word"], "one")


def force_replace(t):
    """A field that cannot be changed: the server's error; --force-replace."""
    t.helm("upgrade", "plain", "small", "-n", "plain", "--server-side=false", "--set", "fixed=true,word=fixed")
    t.helm("upgrade", "plain", "small", "-n", "plain", "--server-side=false", "--set", "fixed=true,word=other", fails="immutable")
    t.helm("upgrade", "plain", "small", "-n", "plain", "--server-side=false", "--force-replace", "--set", "fixed=true,word=other", fails="immutable")
    t.kubectl("delete", "configmap", "plain", "-n", "plain")
    t.helm("upgrade", "plain", "small", "-n", "plain", "--server-side=false", "--force-replace", "--set", "word=other")
    t.expect("word", t.get("configmap", "plain", "plain")["data"]["word"], "other")


def take_ownership(t):
    """An object of somebody else in the way: an error; --take-ownership."""
    t.kubectl("create", "namespace", "mine")
    t.kubectl("create", "configmap", "mine", "-n", "mine", "--from-literal=word=old")
    t.helm("install", "mine", "small", "-n", "mine", fails="invalid ownership metadata")
    t.helm("install", "mine", "small", "-n", "mine", "--take-ownership", "--force-conflicts")
    t.expect("word", t.get("configmap", "mine", "mine")["data"]["word"], "one")


def install_that_fails(t):
    """Pods that never become ready: failed and kept, or taken back by --rollback-on-failure."""
    t.helm("install", "late", "small", "-n", "late", "--create-namespace", "--wait", "--timeout", "4s", "--set", "outcome=wait",
           fails="not ready|deadline|timed out|timeout")
    t.expect("history", t.history("late"), [(1, "failed")])
    t.helm("upgrade", "late", "small", "-n", "late", "--wait", "--timeout", "60s", "--reset-values")
    t.helm("install", "never", "small", "-n", "never", "--create-namespace", "--rollback-on-failure", "--timeout", "4s", "--set", "outcome=wait",
           fails="uninstalled due to|not ready|deadline")
    t.expect("releases", json.loads(t.helm("list", "-n", "never", "-o", "json")), [])
    t.wait("the objects are gone", lambda: not t.names("deployments", "never"))


def uninstall_keep_history(t):
    """uninstall --keep-history with hooks; the release comes back by rollback or by --replace."""
    t.helm("uninstall", "shop", "-n", "shop", "--dry-run")
    t.expect("still there", t.get("deployment", SHOP, "shop") is not None, True)
    text = t.helm("uninstall", "shop", "-n", "shop", "--keep-history", "--wait", "--timeout", "60s")
    t.expect_in("output", "uninstalled", text)
    t.expect("history", t.history("shop")[-1][1], "uninstalled")
    t.expect("objects", [t.get(kind, SHOP, "shop") for kind in ("deployment", "service", "secret", "configmap", "items.shop.example.invalid")],
             [None] * 5)
    t.expect("kept by policy", t.get("configmap", SHOP + "-kept", "shop") is not None, True)
    t.expect("hooks", [t.get("job", "shop-" + event, "shop") is not None for event in ("pre-delete", "post-delete")], [True, True])
    t.expect("definition", t.get("crd", "items.shop.example.invalid", "shop") is not None, True)
    t.expect("listed", len(json.loads(t.helm("list", "-n", "shop", "--uninstalled", "-o", "json"))), 1)
    t.helm("install", "shop", "shop", "-n", "shop", fails="cannot reuse a name")
    t.helm("rollback", "shop", str(t.history("shop")[-1][0]), "-n", "shop", "--wait", "--timeout", "90s")
    t.expect("back", t.get("deployment", SHOP, "shop")["status"]["readyReplicas"], 2)
    t.helm("uninstall", "shop", "-n", "shop", "--keep-history", "--wait", "--timeout", "60s")
    t.helm("install", "shop", "shop", "-n", "shop", "--replace", "--wait", "--timeout", "90s", "--take-ownership")
    t.expect("deployed", t.release("shop")["info"]["status"], "deployed")


def uninstall(t):
    """uninstall in the foreground; twice; --ignore-not-found; no release is left."""
    t.helm("uninstall", "shop", "-n", "shop", "--cascade", "foreground", "--wait", "--timeout", "60s", "--no-hooks")
    t.expect("replica sets", t.names("replicasets", "shop"), [])
    t.expect("secrets", [name for name in t.names("secrets", "shop") if name.startswith("sh.helm.release")], [])
    t.helm("uninstall", "shop", "-n", "shop", fails="not found")
    t.helm("uninstall", "shop", "-n", "shop", "--ignore-not-found")


def orphans(t):
    """uninstall --cascade=orphan leaves what the Deployment owns."""
    t.helm("uninstall", "small", "-n", "small", "--cascade", "orphan")
    t.wait("the Deployment is gone", lambda: not t.names("deployments", "small"))
    t.wait("the ReplicaSet has no owner", lambda: [
        "ownerReferences" in item["metadata"] for item in
        json.loads(t.kubectl("get", "replicasets", "-n", "small", "-o", "json"))["items"]] == [False])


def definitions(t):
    """A definition that is there is left alone; --skip-crds; a resource without its definition."""
    t.kubectl("annotate", "crd", "items.shop.example.invalid", "mine=yes")
    t.helm("install", "second", "shop", "-n", "second", "--create-namespace", "--no-hooks")
    t.expect("annotation", t.get("crd", "items.shop.example.invalid", "second")["metadata"]["annotations"]["mine"], "yes")
    t.helm("uninstall", "second", "-n", "second", "--no-hooks", "--wait")
    t.kubectl("delete", "crd", "items.shop.example.invalid")
    t.helm("install", "second", "shop", "-n", "second", "--no-hooks", "--skip-crds", fails='no matches for kind "Item"')
    t.helm("install", "second", "shop", "-n", "second", "--no-hooks", "--take-ownership")
    t.expect("custom resource", t.get("items.shop.example.invalid", "second-shop", "second")["spec"]["count"], 1)


def names_of_releases(t):
    """--generate-name, --name-template, upgrade --install, --wait=hookOnly."""
    made = json.loads(t.helm("install", "small", "--generate-name", "-n", "named", "--create-namespace", "-o", "json"))
    t.expect("name", made["name"].startswith("small-"), True)
    t.helm("install", "small", "--name-template", 'x-{{ "A" | lower }}', "-n", "named", "--wait=hookOnly")
    t.helm("upgrade", "--install", "z", "small", "-n", "named")
    t.helm("upgrade", "--install", "z", "small", "-n", "named", "--set", "word=again")
    t.expect("releases", sorted(entry["name"] for entry in json.loads(t.helm("list", "-n", "named", "-o", "json")))[1:], ["x-a", "z"])


def config_map_driver(t):
    """Releases in ConfigMaps."""
    driver = {"HELM_DRIVER": "configmap"}
    t.helm("install", "mapped", "small", "-n", "mapped", "--create-namespace", environment=driver)
    t.helm("upgrade", "mapped", "small", "-n", "mapped", "--set", "word=two", environment=driver)
    t.expect("config maps", [name for name in t.names("configmaps", "mapped") if name.startswith("sh.helm")],
             ["sh.helm.release.v1.mapped.v1", "sh.helm.release.v1.mapped.v2"])
    t.helm("uninstall", "mapped", "-n", "mapped", environment=driver)


def post_renderer(t):
    """A plugin changes what was rendered."""
    t.helm("install", "stamped", "small", "-n", "stamped", "--create-namespace", "--post-renderer", "stamp")
    t.expect("word", t.get("configmap", "stamped", "stamped")["data"]["word"], "stamped")


def rights(t):
    """As a user who may do little: the server's refusal, and what a role allows."""
    t.kubectl("create", "namespace", "theirs")
    t.kubectl("create", "serviceaccount", "deployer", "-n", "theirs")
    token = t.kubectl("create", "token", "deployer", "-n", "theirs").strip()
    as_deployer = {"HELM_KUBETOKEN": token}
    t.helm("install", "theirs", "small", "-n", "theirs", environment=as_deployer,
           fails='User "system:serviceaccount:theirs:deployer" cannot get resource "configmaps" in API group "" in the namespace "theirs"')
    t.kubectl("create", "rolebinding", "deployer", "-n", "theirs", "--clusterrole=admin", "--serviceaccount=theirs:deployer")
    t.helm("install", "theirs", "small", "-n", "theirs", environment=as_deployer)
    t.helm("install", "as", "small", "-n", "theirs", "--kube-as-user", "somebody", "--kube-as-group", "some", fails='User "somebody" cannot')
    payload = token.split(".")[1]
    t.expect_in("subject", "theirs", base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)).decode())


STEPS = (chart_tools, template_of_the_server, install_dry_run, install, hooks_of_install, queries, tests, upgrade, upgrade_values,
         upgrade_dry_run, schema, rollback, rollback_on_failure, failing_hook, failing_test, history_max, conflicts, drift, client_side,
         force_replace, take_ownership, install_that_fails, uninstall_keep_history, uninstall, orphans, definitions, names_of_releases,
         config_map_driver, post_renderer, rights)
