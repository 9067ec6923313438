package ops

import (
	"fmt"
	"maps"

	"memory-mcp/textanalysis"
)

// resolve gives each given value its parameter: by the name itself, by another
// word for it, or by the only name that it can be a misspelling of. The right
// name wins over the others.
func (o Op) resolve(given map[string]any, r *Repaired) map[string]any {
	named := map[string]any{}
	var rest []string
	for _, key := range sortedKeys(given) {
		p, ok := o.param(key)
		if !ok {
			rest = append(rest, key)
			continue
		}
		if _, taken := named[p.name]; !taken || key == p.name {
			if !p.absent(given[key]) {
				named[p.name] = given[key]
			}
		}
	}
	rest = o.byAlias(given, rest, named)
	for _, key := range rest {
		name, ok := o.misspelt(key, named)
		if !ok {
			r.Ignored = append(r.Ignored, key)
			continue
		}
		named[name] = given[key]
		r.Notes = append(r.Notes, fmt.Sprintf("%q was taken for %s", cut(key, 40), name))
	}
	return named
}

func (o Op) byAlias(given map[string]any, keys []string, named map[string]any) (rest []string) {
	for _, key := range keys {
		target, known := o.aliases[fold(key)]
		if !known {
			rest = append(rest, key)
			continue
		}
		p, _ := o.param(target)
		if _, taken := named[target]; !taken && !p.absent(given[key]) {
			named[target] = given[key]
		}
	}
	return rest
}

// misspelt finds the one parameter that a name can be meant for.
func (o Op) misspelt(key string, named map[string]any) (string, bool) {
	var names []string
	for _, p := range o.params {
		if len(p.name) >= shortestMisspelt {
			names = append(names, p.name)
		}
	}
	near := textanalysis.Nearest(key, names, 2)
	if len(near) != 1 || len(key) < shortestMisspelt-1 {
		return "", false
	}
	_, taken := named[near[0]]
	return near[0], !taken
}

// shortestMisspelt is the length of the shortest name that a misspelling is
// recognised for: among shorter ones everything is near.
const shortestMisspelt = 4

// The other words for parameters, folded. A word never replaces a parameter
// that has this name itself.
var (
	everywhere = map[string]string{
		"workspace": "lobe", "repo": "lobe", "project": "lobe", "repository": "lobe", "lobename": "lobe",
		"lobes": "lobe", "projectname": "lobe",
		"outputformat": "format", "responseformat": "format",
		"tokenbudget": "maxTokens", "tokens": "maxTokens", "budgettokens": "maxTokens", "tokenlimit": "maxTokens",
	}
	ofSearch = map[string]string{
		"limit": "maxResults", "max": "maxResults", "count": "maxResults", "n": "maxResults", "topk": "maxResults",
		"k": "maxResults", "numresults": "maxResults", "pagesize": "maxResults",
		"skip": "offset", "start": "offset",
		"verbosity": "detail", "detaillevel": "detail", "level": "detail",
		"threshold": "minMatch", "minscore": "minMatch", "minsimilarity": "minMatch",
		"topic": "scope", "topics": "scope", "category": "scope",
		"type": "kind", "ids": "id", "entryid": "id", "memoryid": "id", "entryids": "id",
	}
	ofContext = map[string]string{
		"query": "context", "description": "context", "task": "context", "prompt": "context", "question": "context",
		"search": "context", "filter": "context", "text": "context", "topicofwork": "context", "q": "context",
		"message": "context", "content": "context",
	}
	ofQuery = map[string]string{
		"query": "filter", "search": "filter", "keyword": "filter", "keywords": "filter", "q": "filter",
		"text": "filter", "words": "filter", "context": "filter", "pattern": "filter", "searchquery": "filter",
		"term": "filter", "terms": "filter",
	}
	ofFields = map[string]string{
		"tag": "tags", "labels": "tags", "label": "tags", "categories": "tags", "concepts": "tags", "keywords": "tags",
		"refs": "references", "reference": "references", "ref": "references",
		"source": "sources", "src": "sources", "file": "files", "paths": "files", "path": "files",
		"type": "kind", "memorytype": "kind", "expiry": "expires", "expiresat": "expires", "ttl": "expires",
		"condition": "conditions", "durability": "durabilityDecision", "certainty": "confidence", "priority": "importance",
	}
	ofStore = map[string]string{
		"key": "title", "name": "title", "tasksummary": "title", "heading": "title", "summary": "title",
		"value": "content", "body": "content", "text": "content", "fact": "content", "observation": "content",
		"insight": "content", "note": "content", "memory": "content", "rule": "content", "message": "content",
		"knowledge": "content", "description": "content", "data": "content",
		"category": "topic", "facts": "entries", "memories": "entries", "items": "entries", "notes": "entries",
		"observations": "entries", "contents": "entries",
	}
	ofCorrect = map[string]string{
		"text": "correction", "content": "correction", "value": "correction", "body": "correction",
		"newcontent": "correction", "newtext": "correction", "replacement": "correction", "fact": "correction",
		"observation": "correction", "rule": "correction", "update": "correction",
		"entryid": "id", "memoryid": "id", "entry": "id", "key": "id", "ids": "id",
		"op": "action", "operation": "action", "mode": "action", "decision": "action",
		"why": "reason", "name": "title", "heading": "title",
		"lobeto": "toLobe", "targetlobe": "toLobe", "newlobe": "toLobe", "totopics": "toTopic", "newtopic": "toTopic", "topic": "toTopic", "targettopic": "toTopic",
		"from": "validFrom", "validsince": "validFrom", "sessionid": "session", "client": "actor", "file": "source", "dryrun": "preview",
	}
	ofTime = map[string]string{
		"at": "asOf", "when": "asOf", "believedat": "asOf", "validon": "validAt", "heldat": "validAt",
	}
	ofHistory = map[string]string{
		"asof": "at", "when": "at", "time": "at", "date": "at", "heldat": "validAt", "validon": "validAt",
		"filter": "query", "words": "query", "text": "query", "search": "query", "context": "query", "q": "query", "keywords": "query",
		"from": "since", "after": "since", "start": "since", "to": "until", "end": "until",
		"cursor": "before", "next": "before", "page": "before", "maxresults": "limit", "max": "limit", "count": "limit", "n": "limit",
		"entryid": "id", "memoryid": "id", "entry": "id", "ids": "id", "key": "id",
		"scope": "topic", "topics": "topic", "category": "topic", "client": "actor", "agent": "actor", "by": "actor", "sessionid": "session",
		"op": "action", "operation": "action", "mode": "action", "skip": "offset", "verbosity": "detail",
	}
	ofBootstrap = map[string]string{
		"path": "root", "dir": "root", "directory": "root", "folder": "root", "rootpath": "root", "cwd": "root",
		"budget": "budgetMB", "budgetmb": "budgetMB", "maxmb": "budgetMB",
	}
	ofVerb = map[string]string{
		"text": "observation", "content": "observation", "value": "observation", "body": "observation",
		"note": "observation", "fact": "observation", "insight": "observation", "memory": "observation",
		"message": "observation", "rule": "observation", "gotcha": "observation", "convention": "observation",
		"preference": "observation",
	}
	ofRule = map[string]string{
		"text": "rule", "content": "rule", "value": "rule", "body": "rule", "note": "rule", "preference": "rule",
		"observation": "rule", "message": "rule", "fact": "rule",
	}
	ofArea = map[string]string{
		"filter": "area", "query": "area", "search": "area", "context": "area", "topic": "area", "module": "area", "keyword": "area",
	}
	ofDiagnose = map[string]string{
		"crashes": "showCrashHistory", "history": "showCrashHistory", "showcrashes": "showCrashHistory", "crashhistory": "showCrashHistory",
	}
)

// aliases joins tables; a later one wins.
func aliases(tables ...map[string]string) map[string]string {
	all := maps.Clone(everywhere)
	for _, t := range tables {
		maps.Copy(all, t)
	}
	return all
}
